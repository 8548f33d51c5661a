// Ways out by files: reading what was not given, and changing what was given to read.

import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { stands, type WalledAttempt } from "./walls.ts";

vi.mock(import("../../drivers/src/sandbox/bubblewrap-arguments.ts"), async (original) =>
  (await import("./walls.ts")).withHoles(await original()),
);

const SECRET = "secret-of-the-machine";
const isRoot = process.getuid?.() === 0;
let top: string;

const at = (name: string): string => join(top, name);

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "aos-files-"));
  chmodSync(top, 0o755);
  for (const name of ["mine", "given", "other", "home"]) mkdirSync(at(name));
  chmodSync(at("mine"), 0o777);
  chmodSync(at("given"), 0o777);
  writeFileSync(at("secret"), SECRET, { mode: 0o644 });
  writeFileSync(at("other/note"), SECRET, { mode: 0o644 });
  writeFileSync(at("home/secret.key"), SECRET, { mode: 0o600 });
  writeFileSync(at("given/note"), "as it was");
  chmodSync(at("given/note"), 0o666);
  symlinkSync(at("secret"), at("mine/link"));
  symlinkSync(at("other"), at("mine/folder"));
});

afterAll(() => rmSync(top, { recursive: true, force: true, maxRetries: 20 }));

const inWorkspace = () => ({
  env: { TOP: top, HOMES: homedir() },
  confinement: {
    mounts: [
      { from: at("mine"), mode: "write" as const },
      { from: at("given"), mode: "read" as const },
    ],
  },
});

const VIEW = ["mount view"] as const;
const reads = (name: string, path: string, more: Partial<WalledAttempt> = {}): WalledAttempt => ({
  name,
  script: `cat "${path}"`,
  succeedsOutside: SECRET,
  walls: VIEW,
  ...more,
});

describe("reading", () => {
  stands(
    [
      reads("a file by its path", "$TOP/secret"),
      reads("a file by many ..", "/tmp/../../../../$TOP/secret"),
      reads("a file through a link that lies in the workspace", "$TOP/mine/link"),
      reads("a folder through a link that lies in the workspace", "$TOP/mine/folder/note"),
      reads("the workspace of somebody else, beside its own", "$TOP/mine/../other/note"),
      reads("a file by the root of the first process", "/proc/1/root$TOP/secret", {
        notOutside: "some machines let nobody look at the first process",
      }),
      reads("a file by the root of the process above", "/proc/$PPID/root$TOP/secret"),
      reads("a file by the folder of the process above", "/proc/$PPID/cwd/../../../../$TOP/secret"),
      reads("a file by its own root", "/proc/self/root$TOP/secret"),
      reads("the key in the daemon's home", "$TOP/home/secret.key", {
        walls: ["mount view", "own user"],
      }),
      {
        name: "a file through a link that it makes",
        script: `ln -sf "$TOP/secret" "$TOP/mine/made" && cat "$TOP/mine/made"`,
        succeedsOutside: SECRET,
        walls: VIEW,
      },
      {
        name: "a file through a second name that it makes",
        script: `ln -f "$TOP/secret" "$TOP/mine/second"; cat "$TOP/mine/second"`,
        succeedsOutside: SECRET,
        // The kernel lets nobody link to what is somebody else's, so also not our holes.
        walls: ["mount view", "own user"],
      },
      {
        name: "what is in people's homes",
        script: `[ -n "$(ls -A "$HOMES")" ] && echo listed`,
        succeedsOutside: "listed",
        walls: ["mount view", "own user"],
      },
      {
        name: "the machine's cgroups",
        script: "ls /sys/fs/cgroup && echo listed",
        succeedsOutside: "listed",
        walls: VIEW,
      },
      {
        name: "the machine's name, by its files",
        script: "[ -e /sys/class/net ] && echo listed",
        succeedsOutside: "listed",
        walls: VIEW,
      },
    ],
    inWorkspace,
  );
});

describe.runIf(isRoot)("as root could", () => {
  stands(
    [
      {
        name: "read the passwords",
        script: "cat /etc/shadow",
        succeedsOutside: "root:",
        walls: ["mount view", "own user"],
      },
      {
        name: "write to the system",
        script: "f=$(mktemp /usr/local/aos-escape-XXXXXX) && rm $f && echo wrote",
        succeedsOutside: "wrote",
        walls: ["read-only mounts", "own user"],
      },
      {
        name: "be root by su",
        script: "echo uid:$(su root -c 'id -u')",
        succeedsOutside: "uid:0",
        walls: [],
        alsoStoppedBy: "no new privileges, which bubblewrap sets whatever it is told",
      },
      {
        name: "make a device",
        script: "mknod d b 7 0 && echo made; rm -f d",
        succeedsOutside: "made",
        walls: [],
        alsoStoppedBy: "the user namespace, which bubblewrap makes for whoever is not root",
      },
    ],
    inWorkspace,
  );
});

describe("changing", () => {
  stands(
    [
      {
        name: "a file that was given to read",
        script: `echo changed > "$TOP/given/note" && echo wrote`,
        succeedsOutside: "wrote",
        walls: ["read-only mounts"],
      },
      {
        name: "it through a descriptor that is opened once more",
        script: `exec 3< "$TOP/given/note"; echo changed > /proc/self/fd/3 && echo wrote`,
        succeedsOutside: "wrote",
        walls: ["read-only mounts"],
      },
      {
        name: "the folder that was given to read",
        script: `mktemp "$TOP/given/XXXXXX" && echo wrote`,
        succeedsOutside: "wrote",
        walls: ["read-only mounts"],
      },
      {
        name: "a file into one that lends its owner's rights",
        script: `cp /bin/true mine && chmod 4755 mine && [ -u mine ] && echo lent`,
        succeedsOutside: "lent",
        walls: ["seccomp"],
      },
      {
        name: "the same, at the moment that it is made",
        script: `perl -MFcntl -e 'umask 0; sysopen(F, "born", O_CREAT | O_WRONLY, 04755) or die $!'; [ -u born ] && echo lent`,
        succeedsOutside: "lent",
        walls: ["seccomp"],
      },
      {
        name: "the same for a group",
        script: `: > grp && chmod 2755 grp && [ -g grp ] && echo lent`,
        succeedsOutside: "lent",
        walls: ["seccomp"],
      },
    ],
    inWorkspace,
  );
});

/** As it is, and where that is not allowed in a user namespace of its own, in which it is root. */
const asRoot = (command: string): string => `${command} || unshare -Urm ${command}`;

describe.runIf(isRoot)("mounting", () => {
  const USERNS = ["seccomp", "no user namespaces"] as const;
  stands(
    [
      {
        name: "a file system",
        script: `mkdir -p m; ${asRoot(`sh -c 'mount -t tmpfs none m && echo mounted && umount m'`)}`,
        succeedsOutside: "mounted",
        walls: USERNS,
      },
      {
        name: "something over the system",
        script: `unshare -m sh -c 'mount --rbind /tmp /usr/local && echo bound' || unshare -Urm sh -c 'mount --rbind /tmp /usr/local && echo bound'`,
        succeedsOutside: "bound",
        walls: USERNS,
      },
      {
        name: "its folder as the root",
        script: asRoot(`perl -e 'chroot(".") or die $!; print "chrooted"'`),
        succeedsOutside: "chrooted",
        walls: USERNS,
      },
    ],
    inWorkspace,
  );
});

/** Those that this machine has, and lets root open. */
const devices = ["kvm", "fuse", "vda", "sda", "loop0", "mem", "vsock", "userfaultfd"].filter(
  (name) => {
    try {
      closeSync(openSync(`/dev/${name}`, "r"));
      return true;
    } catch {
      return false;
    }
  },
);
describe.runIf(isRoot)("opening a device", () => {
  stands(
    devices.map((name): WalledAttempt => ({
      name,
      script: `perl -e 'open(F, "<", "/dev/${name}") and print "opened" or print "$!"'`,
      succeedsOutside: "opened",
      walls: ["made-up devices", "own user"],
    })),
    inWorkspace,
  );
});
