"""Whether a proposal stays within its work order. Pure: what is on the disk is passed in."""

from collections.abc import Mapping

from factory.attempt.failure import Failure, Stage
from factory.contract.proposal import WriteProposal
from factory.contract.repo_path import RepoPath, forbids
from factory.contract.work_order import WorkOrder


def violation(
    proposal: WriteProposal, order: WorkOrder, current_hashes: Mapping[RepoPath, str]
) -> Failure | None:
    """The first reason to refuse the proposal, or None.

    Args:
        proposal: what the model wants to write.
        order: the contract.
        current_hashes: the SHA-256 of each proposed path as it is now; of no bytes if it does not exist.
    """
    seen: dict[str, RepoPath] = {}
    for write in proposal.writes:
        twin = seen.get(write.path.casefold())
        if twin is not None:
            return _refusal(
                write.path, f"is written twice (as `{twin}` and `{write.path}`)", "write each file once"
            )
        seen[write.path.casefold()] = write.path
    for write in proposal.writes:
        for above in _directories(write.path.casefold()):
            if above in seen:
                return _refusal(
                    write.path, f"lies below `{seen[above]}`, which is written as a file", "write one of them"
                )
    for write in proposal.writes:
        if write.path not in order.allowed_files:
            allowed = ", ".join(f"`{path}`" for path in order.allowed_files)
            return _refusal(
                write.path, "is not one of the work order's allowed files", f"write only {allowed}"
            )
        for forbidden in order.forbidden:
            if forbids(forbidden, write.path):
                return _refusal(write.path, f"is forbidden by `{forbidden}`", "leave it as it is")
    for write in proposal.writes:
        if write.base_sha256 != current_hashes[write.path]:
            return Failure.model_defect(
                Stage.STALE_CONTEXT,
                f"the proposal's base_sha256 of `{write.path}` is not that of the file",
                where=write.path,
                hint=f"copy it from the prompt: {current_hashes[write.path]}",
            )
    return None


def _directories(path: str) -> list[str]:
    segments = path.split("/")
    return ["/".join(segments[:depth]) for depth in range(1, len(segments))]


def _refusal(path: RepoPath, message: str, hint: str) -> Failure:
    return Failure.model_defect(Stage.WRITE_SCOPE_VIOLATION, f"`{path}` {message}", where=path, hint=hint)
