// What a run sees and may do (SANDBOX-1): what it was given, as it was given, and nothing else.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Mount } from "@aos/drivers/sandbox";
import { useSandbox } from "./rig.ts";

const rig = useSandbox();
const daemon = fileURLToPath(new URL("./parent.program.ts", import.meta.url));
const isRoot = process.getuid?.() === 0;
const self = { uid: process.getuid!(), gid: process.getgid!() };

let top: string;
let folder: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "aos-view-"));
  folder = join(top, "folder");
  mkdirSync(folder);
  chmodSync(top, 0o755);
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, "note"), "a note\n");
  chmodSync(join(folder, "note"), 0o666);
});
afterEach(() => rmSync(top, { recursive: true, force: true, maxRetries: 20 }));

const work = (mode: Mount["mode"], from = folder): { mounts: Mount[]; folder: string } => ({
  mounts: [{ from, at: "/work", mode }],
  folder: "/work",
});

describe("a mount", () => {
  test("to read is read, and not written", async () => {
    const ending = await rig.run(
      "pwd; cat note; echo more >> note; touch new; rm note",
      work("read"),
    );

    expect(ending.stdout).toBe("/work\na note\n");
    expect(ending.stderr.match(/Read-only file system/g)).toHaveLength(3);
    expect(readFileSync(join(folder, "note"), "utf8")).toBe("a note\n");
  });

  test("to write is written, on the machine", async () => {
    const ending = await rig.run("echo new > /work/new; chmod 755 /work/new", work("write"));

    expect(ending).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, "new"), "utf8")).toBe("new\n");
  });

  test("below another is seen in its place, whatever the order", async () => {
    const inner = join(top, "inner");
    mkdirSync(inner);
    mkdirSync(join(folder, "deep"));
    writeFileSync(join(inner, "file"), "inner\n");
    const mounts: Mount[] = [
      { from: inner, at: "/work/deep", mode: "read" },
      { from: folder, at: "/work", mode: "write" },
    ];

    const ending = await rig.run("cat /work/deep/file; touch /work/deep/x; touch /work/y", {
      mounts,
    });

    expect(ending).toMatchObject({ code: 0, stdout: "inner\n" });
    expect(ending.stderr).toContain("Read-only");
    expect(existsSync(join(folder, "y"))).toBe(true);
  });

  test("of one file is that file", async () => {
    const mounts: Mount[] = [{ from: join(folder, "note"), at: "/data/note", mode: "read" }];

    expect(await rig.run("cat /data/note; ls /data", { mounts })).toMatchObject({
      stdout: "a note\nnote\n",
    });
  });

  test("that is a link is refused, and where the link points is not seen", async () => {
    symlinkSync("/etc", join(top, "link"));

    await expect(rig.run("ls /work", work("read", join(top, "link")))).rejects.toMatchObject({
      code: "EINVAL",
    });
  });

  test("in a folder that only we can enter is seen all the same", async () => {
    chmodSync(top, 0o700);

    const ending = await rig.run("cat /work/note; echo x > /work/new", work("write"));

    expect(ending).toMatchObject({ code: 0, stdout: "a note\n", stderr: "" });
    expect(readFileSync(join(folder, "new"), "utf8")).toBe("x\n");
  });

  test.each([
    ["the whole machine", "/", "/work"],
    ["its processes", "/proc", "/work"],
    ["its devices", "/dev", "/work"],
    ["something in place of /proc", "/usr/share", "/proc/x"],
    ["something in place of everything", "/usr/share", "/"],
    ["a way around", "/usr/../etc", "/work"],
    ["a relative path", "usr", "/work"],
    ["a path with a NUL", "/usr\0--dev-bind\0/\0/", "/work"],
  ])("of %s is refused", async (_what, from, at) => {
    const asked = rig.run("true", { mounts: [{ from, at, mode: "read" }] });

    await expect(asked).rejects.toMatchObject({ code: "EINVAL" });
  });

  test("that is not there is refused", async () => {
    const asked = rig.run("true", work("read", join(top, "nothing")));

    await expect(asked).rejects.toMatchObject({ code: "EINVAL" });
  });
});

describe("what is hidden", () => {
  test("looks empty, cannot be written, moved or removed, and stays what it is", async () => {
    writeFileSync(join(folder, ".env"), "SECRET=1\n");
    mkdirSync(join(folder, "keys"));
    writeFileSync(join(folder, "keys", "id"), "key\n");
    const hidden = ["/work/.env", "/work/keys", "/work/missing"];

    const ending = await rig.run(
      "cat .env; ls keys; echo x > .env; rm -f .env; mv .env a; ln .env b; chmod 777 .env; touch keys/x; ls -A",
      { ...work("write"), hidden },
    );

    expect(ending.stdout).toBe(".env\nkeys\nnote\n");
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe("SECRET=1\n");
    expect(existsSync(join(folder, "missing"))).toBe(false);
  });
});

describe("the machine", () => {
  test("is not there", async () => {
    const script = `ls -A / | tr '\\n' ' '; ls -A /tmp /run /home /root ${tmpdir() === "/tmp" ? "" : tmpdir()} 2>&1`;
    const { stdout } = await rig.run(script);

    expect(stdout).toMatch(/^bin dev etc lib (lib32 )?(lib64 )?(libx32 )?proc sbin tmp usr/);
    expect(stdout).toContain("cannot access '/root'");
    expect(stdout).toContain("cannot access '/home'");
  });

  test("cannot be written to anywhere but in /tmp and /dev/shm", async () => {
    const script =
      "for at in / /usr /etc /dev /proc /proc/sys /run/aos; do touch $at/x 2>/dev/null && echo $at; done; touch /tmp/x /dev/shm/x && echo ok";

    expect((await rig.run(script)).stdout).toBe("ok\n");
  });

  test("knows one user, and the run is that one, without any right", async () => {
    const { stdout } = await rig.run(
      "id; getent passwd | wc -l; grep -E 'Cap(Eff|Bnd|Prm)|NoNewPrivs|Seccomp:' /proc/self/status; hostname",
    );

    expect(stdout).toBe(
      "uid=1000(agent) gid=1000(agent) groups=1000(agent)\n3\n" +
        "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n" +
        "NoNewPrivs:\t1\nSeccomp:\t2\nsandbox\n",
    );
  });

  test("has no other processes, users, cgroups or sessions", async () => {
    const { stdout } = await rig.run(
      "ls /proc | grep -c '^[0-9]'; readlink /proc/self/ns/user /proc/self/ns/mnt /proc/self/ns/pid /proc/self/ns/ipc /proc/self/ns/uts /proc/self/ns/cgroup /proc/self/ns/net",
    );
    const names = ["user", "mnt", "pid", "ipc", "uts", "cgroup", "net"];
    const lines = stdout.trim().split("\n");
    const ours = new Set(names.map((name) => readlinkSync(`/proc/self/ns/${name}`)));

    expect(Number(lines[0])).toBeLessThanOrEqual(6);
    expect(lines.slice(1)).toHaveLength(names.length);
    expect(lines.slice(1).filter((line) => ours.has(line))).toEqual([]);
  });

  test("gives no environment but its own", async () => {
    process.env["AOS_TEST_SECRET"] = "visible";
    const { stdout } = await rig.run("env | sort; tr '\\0' '\\n' < /proc/1/environ", {
      env: { MINE: "a=b\nc", PATH: "/usr/bin:/bin" },
    });
    delete process.env["AOS_TEST_SECRET"];

    expect(stdout).toBe(
      "HOME=/tmp\nLANG=C.UTF-8\nMINE=a=b\nPATH=/usr/bin:/bin\nPWD=/tmp\nTMPDIR=/tmp\nc\n" +
        "PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin\nPWD=/\n",
    );
  });

  test("leaves no descriptor open in it", async () => {
    const { stdout } = await rig.run("ls -l /proc/self/fd | sed 's/.* \\([0-9]* -> .*\\)/\\1/'", {
      ...work("write"),
      hidden: ["/work/note"],
    });
    const others = stdout
      .split("\n")
      .filter((line) => line.includes("->"))
      .filter((line) => !/^[012] -> |-> \/dev\/null$|-> \/proc\/\d+\/fd$/.test(line));

    expect(others).toEqual([]);
  });

  test("leaves no descriptor open in it that the daemon was started with", () => {
    const nothings = Array<"ignore">(36).fill("ignore");
    const { stdout } = spawnSync(process.execPath, [daemon, "ls -l /proc/self/fd"], {
      // Numbers 5 and 40: one that Node knows of, and one that it does not.
      stdio: [
        "ignore",
        "pipe",
        "inherit",
        "ignore",
        "ignore",
        "pipe",
        ...nothings.slice(0, 34),
        "pipe",
      ],
      encoding: "utf8",
    });

    expect(stdout).toContain("/dev/null");
    // Its three streams.
    expect(stdout.match(/socket:|pipe:/g)).toHaveLength(3);
  });

  test("does not tell what was mounted from where, nor the environment, in its command line", async () => {
    const { stdout } = await rig.run("tr '\\0' ' ' < /proc/1/cmdline", {
      ...work("read"),
      env: { TOKEN: "hidden-value" },
    });

    expect(stdout).toContain("bwrap");
    expect(stdout).not.toContain(top);
    expect(stdout).not.toContain("hidden-value");
  });

  test("can be run by many tools", async () => {
    const script =
      "git --version && perl -e 'print qq(perl\\n)' && python3 -c 'import ssl, socket; print(len(ssl.create_default_context().get_ca_certs()) > 10, socket.getaddrinfo(\"localhost\", 80)[0][4])'";
    const { stdout, stderr } = await rig.run(script);

    expect(stderr).toBe("");
    expect(stdout).toMatch(/^git version .*\nperl\nTrue \('(127.0.0.1|::1)', 80/);
  });
});

describe.runIf(isRoot)("when the daemon is root", () => {
  test("a run has a user of the pool, and two at once have two", async () => {
    const runs = await Promise.all([rig.start(["sleep", "5"]), rig.start(["sleep", "5"])]);
    const users = runs.map(({ pid }) => statSync(`/proc/${pid}`).uid);
    for (const run of runs) run.kill();
    await Promise.all(runs.map(({ ended }) => ended));

    expect(new Set(users).size).toBe(2);
    for (const uid of users) expect(uid).toBeGreaterThanOrEqual(61_000);
  });

  test("a run of a folder's owner writes as that owner", async () => {
    chownSync(folder, 61_500, 61_500);
    chmodSync(folder, 0o700);

    const ending = await rig.run("touch /work/new && stat -c %u /work/new", {
      ...work("write"),
      user: { uid: 61_500, gid: 61_500 },
    });

    expect(ending).toMatchObject({ code: 0, stdout: "1000\n" });
  });

  test("a run in root's own folder has root's files and none of root's power", async () => {
    chmodSync(folder, 0o700);
    const ending = await rig.run(
      `touch /work/new && echo wrote
       for file in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sysrq-trigger /proc/mtrr; do
         [ -e $file ] && (cat $file > /tmp/v; cat /tmp/v > $file) 2>/dev/null && echo changed $file
       done
       ls -A /proc/fs; ls -A /proc/acpi 2>/dev/null; cat /proc/keys /proc/timer_list
       grep -E 'CapEff' /proc/self/status
       mount -t tmpfs none /tmp 2>/dev/null && echo mounted; chown 5:5 /work/new 2>/dev/null && echo chowned
       ls /proc/self/fd | wc -l`,
      { ...work("write"), user: { uid: 0, gid: 0 } },
    );

    const lines = ending.stdout.trim().split("\n");
    expect(lines.slice(0, 2)).toEqual(["wrote", "CapEff:\t0000000000000000"]);
    expect(lines).toHaveLength(3);
  });
});

test.runIf(!isRoot)("somebody who is not root cannot ask for another user", async () => {
  const asked = rig.run("true", { user: { uid: self.uid + 1, gid: self.gid } });

  await expect(asked).rejects.toMatchObject({ code: "EACCES" });
});

describe("a bad request is refused before anything starts", () => {
  test.each([
    ["no command", { command: [] }],
    ["a NUL in a variable", { env: { A: "x\0--dev-bind\0/\0/" } }],
    ["a NUL in a variable's name", { env: { "A\0B": "x" } }],
    ["an = in a variable's name", { env: { "A=B": "x" } }],
    ["a NUL in the folder", { folder: "/tmp\0--share-net" }],
    ["a relative folder", { folder: "work" }],
    ["a limit of nothing", { limits: { memoryBytes: 0 } }],
    ["a limit that is no number", { limits: { wallMs: Number.NaN } }],
    [
      "a proxy for a program without sockets",
      { network: { proxySocket: "/x" }, profile: "program" },
    ],
    ["a proxy that is no socket", { network: { proxySocket: "/usr/bin/env" } }],
  ] as const)("%s", async (_what, more) => {
    await expect(rig.start(["true"], more)).rejects.toMatchObject({ code: "EINVAL" });
  });
});
