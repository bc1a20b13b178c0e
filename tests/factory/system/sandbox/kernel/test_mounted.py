"""Control groups as several systems tell of them."""

from pathlib import PurePosixPath

import pytest

from factory.system.sandbox.kernel.mounted import Own, own_groups

OPTIONS = "rw,nosuid,nodev,noexec,relatime"
V2_MOUNT = f"30 23 0:26 / /sys/fs/cgroup {OPTIONS} shared:9 - cgroup2 cgroup2 rw,nsdelegate"
SCOPE = "user.slice/user-1000.slice/user@1000.service/app.slice/run-r1.scope"

HYBRID = """\
23 1 254:0 / / rw,relatime - ext4 /dev/root rw
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:3 master:1 - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""
HYBRID_MEMBERSHIP = "9:name=systemd:/\n8:pids:/own\n4:memory:/a/b\n2:cpuacct,cpu:/\n0::/\n"

DOCKER_V1 = """\
1012 1007 0:33 /docker/abc /sys/fs/cgroup/pids ro,relatime master:16 - cgroup cgroup rw,pids
1013 1007 0:34 /docker/abc /sys/fs/cgroup/memory ro,relatime master:17 - cgroup cgroup rw,memory
"""


def own(version: int, folder: str, *controllers: str) -> Own:
    assert version in (1, 2)
    return Own(1 if version == 1 else 2, PurePosixPath(folder), frozenset(controllers))


@pytest.mark.parametrize(
    ("mountinfo", "membership", "expected"),
    [
        pytest.param(V2_MOUNT, f"0::/{SCOPE}\n", [own(2, f"/sys/fs/cgroup/{SCOPE}")], id="a user's scope"),
        pytest.param(V2_MOUNT, "0::/\n", [own(2, "/sys/fs/cgroup")], id="a container of its own namespace"),
        pytest.param(
            HYBRID,
            HYBRID_MEMBERSHIP,
            [
                own(1, "/sys/fs/cgroup/cpu,cpuacct", "cpu", "cpuacct"),
                own(1, "/sys/fs/cgroup/memory/a/b", "memory"),
                own(1, "/sys/fs/cgroup/pids/own", "pids"),
                own(1, "/sys/fs/cgroup/systemd", "name=systemd"),
                own(2, "/sys/fs/cgroup/unified"),
            ],
            id="both versions",
        ),
        pytest.param(
            DOCKER_V1,
            "9:pids:/docker/abc/x\n4:memory:/docker/abcdef\n",
            [own(1, "/sys/fs/cgroup/pids/x", "pids")],
            id="a container in the machine's namespace, in one group and beside another",
        ),
        pytest.param(V2_MOUNT, "0::/../../other\n", [], id="above our namespace"),
        pytest.param(V2_MOUNT, "0::/gone (deleted)\n", [], id="removed"),
        pytest.param(
            r"30 23 0:26 / /mnt/a\040b rw - cgroup2 cgroup2 rw",
            "0::/x:y\n",
            [own(2, "/mnt/a b/x:y")],
            id="names",
        ),
        pytest.param("23 1 254:0 / / rw,relatime - ext4 /dev/root rw", "0::/\n", [], id="not mounted"),
        pytest.param("", "", [], id="no /proc"),
    ],
)
def test_the_own_groups_are_found(mountinfo: str, membership: str, expected: list[Own]) -> None:
    assert list(own_groups(mountinfo, membership)) == expected
