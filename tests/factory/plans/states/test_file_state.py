"""The files that exist after each work order, and which work orders are exempt from verification."""

from hypothesis import given
from hypothesis import strategies as st

from factory.contract.work_order import Plan
from factory.plans.states.file_state import FileStates, Presence, verify_exempt
from tests.support.plans import Json, absent, exists, makes, manifest, order, verified_by


def plan(*orders: Json, **fields: object) -> Plan:
    return Plan.model_validate(manifest(*orders, **fields))


def test_a_promised_file_is_there_from_its_work_order_on() -> None:
    states = FileStates(plan(makes(1, "a.py"), makes(2, "lib/b.py")), frozenset())
    assert [states.presence("lib/b.py", done) for done in range(3)] == [
        Presence.ABSENT,
        Presence.ABSENT,
        Presence.CERTAIN,
    ]
    assert states.presence("lib", 1) is Presence.ABSENT
    assert states.presence("lib", 2) is Presence.CERTAIN


def test_the_files_of_the_repository_and_their_directories_are_there_from_the_start() -> None:
    states = FileStates(plan(order()), frozenset({"src/app/core.py"}))
    assert {path: states.presence(path, 0) for path in ("src/app/core.py", "src/app", "src", "app")} == {
        "src/app/core.py": Presence.CERTAIN,
        "src/app": Presence.CERTAIN,
        "src": Presence.CERTAIN,
        "app": Presence.ABSENT,
    }


def test_a_work_order_without_conditions_makes_its_files_only_possible() -> None:
    states = FileStates(plan(order(1, allowed_files=["a.py"]), makes(2, "a.py")), frozenset())
    assert [states.presence("a.py", done) for done in range(3)] == [
        Presence.ABSENT,
        Presence.POSSIBLE,
        Presence.CERTAIN,
    ]
    assert states.first_possible("a.py", 0) is None
    assert states.first_possible("a.py", 1) == 0


def test_a_work_order_with_conditions_promises_only_its_postconditions() -> None:
    states = FileStates(plan(order(1, allowed_files=["a.py"], preconditions=[absent("a.py")])), frozenset())
    assert states.presence("a.py", 1) is Presence.ABSENT


def test_without_a_verify_contract_nothing_is_exempt() -> None:
    assert verify_exempt(plan(order(1), order(2)), frozenset()) == (False, False)


def test_work_orders_are_exempt_until_the_required_files_are_there() -> None:
    contract = verified_by("bash v.sh", "v.sh", "b.py")
    steps = plan(makes(1, "v.sh"), makes(2, "b.py"), makes(3, "c.py"), verify_contract=contract)
    assert verify_exempt(steps, frozenset()) == (True, False, False)
    assert verify_exempt(steps, frozenset({"b.py"})) == (False, False, False)


def test_a_contract_that_is_never_satisfied_exempts_all() -> None:
    steps = plan(makes(1, "a.py"), makes(2, "b.py"), verify_contract=verified_by("make", "x"))
    assert verify_exempt(steps, frozenset()) == (True, True)


def test_what_is_only_possible_does_not_end_the_exemption() -> None:
    steps = plan(
        order(1, allowed_files=["a.py"]), makes(2, "a.py"), verify_contract=verified_by("make", "a.py")
    )
    assert verify_exempt(steps, frozenset()) == (True, False)


def test_a_file_that_must_be_absent_begins_an_exemption() -> None:
    contract = {"command": "make", "requires": [absent("b.py")]}
    steps = plan(makes(1, "a.py"), makes(2, "b.py"), makes(3, "c.py"), verify_contract=contract)
    assert verify_exempt(steps, frozenset()) == (False, True, True)


def test_an_empty_contract_is_satisfied() -> None:
    assert verify_exempt(plan(order(), verify_contract=verified_by("make")), frozenset()) == (False,)


paths = st.sampled_from(["a.py", "b.py", "lib/a.py", "lib/b.py"])
steps = st.lists(st.tuples(st.booleans(), st.lists(paths, min_size=1, unique=True)), min_size=1, max_size=6)


@given(steps, st.frozensets(paths), st.lists(st.tuples(st.sampled_from([exists, absent]), paths), max_size=3))
def test_exemption_is_what_following_the_files_one_by_one_gives(
    drawn: list[tuple[bool, list[str]]], repo: frozenset[str], requires: list[tuple[object, str]]
) -> None:
    conditions = [make(path) for make, path in requires]  # type: ignore[operator]
    orders = [
        makes(number, *files) if promises else order(number, allowed_files=files)
        for number, (promises, files) in enumerate(drawn, start=1)
    ]
    certain, possible, expected = set(repo), set(repo), []
    for promises, files in drawn:
        possible.update(files)
        certain.update(files if promises else ())
        expected.append(
            not all(
                condition["path"] in certain
                if condition["kind"] == "file_exists"
                else condition["path"] not in possible
                for condition in conditions
            )
        )
    contract = {"command": "make", "requires": conditions}
    assert verify_exempt(plan(*orders, verify_contract=contract), repo) == tuple(expected)
