"""Services that commands need beside them, such as a database: resolved, prepared, started with each command.

They run inside the command's own sandbox, by a program of ours that is started in the command's place, and
end with it. Not here: what may be declared (contract), and when commands run (gates). May lean on checkout,
contract and system.
"""
