// A Debian machine of a test's own: a root made by debootstrap, with namespaces for mounts and processes, in which
// packages are installed and daemons run. All of it is gone when its first process is.
//
// It takes root and debootstrap. The root is made once, below the folder for temporary files; what a test changes is in
// a layer of its own. The machine has the network of the host.
//
// MACHINE-1  A root is whole or absent: it is made under another name and renamed, so that two runs at once share none
//     that is half made.
// MACHINE-2  The root is the machine's by pivot_root, not by chroot: the kernel lets no process under a chroot make a
//     user namespace, and without one bubblewrap does not run.
// MACHINE-3  With systemd as its first process the machine changes nothing of the host: it has its own /dev and its own
//     part of the cgroups, no right to set the clock or to load modules, and no unit that writes kernel settings.

import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const start = promisify(execFile);
const PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const PACKAGES =
  "adduser,bubblewrap,ca-certificates,python3,systemd,systemd-sysv,libpam-systemd,dbus";
/** MACHINE-3: units that write what a machine shares with its host, or wait for its devices. */
const MASKED = [
  "systemd-sysctl.service",
  "systemd-modules-load.service",
  "systemd-tmpfiles-setup-dev.service",
  "systemd-random-seed.service",
  "systemd-binfmt.service",
  "proc-sys-fs-binfmt_misc.automount",
  "dev-hugepages.mount",
  "dev-mqueue.mount",
  "sys-kernel-debug.mount",
  "sys-kernel-tracing.mount",
  "getty.target",
];
const NOT_HELD = ["sys_time", "sys_module", "sys_boot", "sys_rawio", "syslog", "wake_alarm"];

export interface RunOptions {
  readonly user?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface DebianMachine {
  /** A folder of the machine as this process sees it. */
  path(inside: string): string;
  /** Runs a line as root, or as somebody else; throws what it said when it failed. */
  run(line: string, options?: RunOptions): Promise<string>;
  remove(): Promise<void>;
}

/** Why there can be none here. */
export function machineTrouble(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs root on Linux";
  for (const program of ["debootstrap", "unshare", "nsenter", "dpkg-deb", "strip"])
    if (spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0) return `no ${program}`;
  return undefined;
}

async function debianRoot(): Promise<string> {
  const root = join(tmpdir(), "aos-debian-12-systemd");
  if (existsSync(root)) return root;
  const making = mkdtempSync(`${root}-`);
  try {
    const words = ["--variant=minbase", `--include=${PACKAGES}`, "bookworm", making];
    await start("debootstrap", words, { maxBuffer: 1e8 });
    renameSync(making, root); // MACHINE-1
  } catch (error) {
    rmSync(making, { recursive: true, force: true, maxRetries: 20 });
    if (!existsSync(root)) throw error;
  }
  return root;
}

/** A part of the cgroups of this machine's own, below the host's. */
interface OwnCgroup {
  readonly folder: string;
  /** Shell commands that mount it in the machine. */
  readonly mounts: readonly string[];
}

function makeCgroup(name: string): OwnCgroup {
  const at = "/sys/fs/cgroup";
  const isUnified = existsSync(join(at, "cgroup.controllers"));
  const folder = join(at, isUnified ? "" : "systemd", name);
  mkdirSync(folder);
  const mounts = isUnified
    ? ["mount -t cgroup2 cgroup2 sys/fs/cgroup"]
    : [
        "mount -t tmpfs tmpfs sys/fs/cgroup",
        "mkdir sys/fs/cgroup/systemd",
        "mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd",
      ];
  return { folder, mounts };
}

function removeCgroup(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeCgroup(join(folder, entry.name));
  rmdirSync(folder);
}

const OWN_DEVICES = [
  "mount -t tmpfs -o mode=755 tmpfs dev",
  "for d in null zero full random urandom tty; do touch dev/$d && mount --bind /dev/$d dev/$d; done",
  "mkdir dev/pts dev/shm",
  "mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts",
  "ln -s pts/ptmx dev/ptmx && ln -s /proc/self/fd dev/fd",
  "mount -t tmpfs -o mode=1777 tmpfs dev/shm",
];

export async function createDebianMachine({
  init,
}: { readonly init?: "systemd" } = {}): Promise<DebianMachine> {
  const lower = await debianRoot();
  const top = mkdtempSync(join(tmpdir(), "aos-machine-"));
  for (const name of ["up", "work", "m"]) mkdirSync(join(top, name));
  const root = join(top, "m");
  const layers = `lowerdir=${lower},upperdir=${join(top, "up")},workdir=${join(top, "work")}`;
  const cgroup = init === "systemd" ? makeCgroup(basename(top)) : undefined;
  const setup = [
    `mount -t overlay overlay -o ${layers} ${root}`,
    `chmod 755 ${root}`,
    `cd ${root}`,
    "mount -t proc proc proc",
    "mount -t tmpfs tmpfs run",
    ...(cgroup === undefined
      ? ["mount --rbind /dev dev"]
      : [
          ...OWN_DEVICES,
          "mount -t sysfs -o ro sysfs sys",
          ...cgroup.mounts,
          ...MASKED.map((unit) => `ln -s /dev/null etc/systemd/system/${unit}`),
        ]),
    "mkdir .host",
    "pivot_root . .host", // MACHINE-2
    "umount -l /.host",
    "rmdir /.host",
    "echo up",
    cgroup === undefined
      ? // The first process of the machine takes in the children of others, as an init does.
        "exec sh -c 'trap : CHLD; while :; do sleep 1; done'"
      : `exec setpriv --bounding-set=${NOT_HELD.map((name) => `-${name}`).join(",")} env -i container=aos /sbin/init`,
  ].join(" && ");
  const enter = cgroup === undefined ? "" : `echo $$ >${cgroup.folder}/cgroup.procs && `;
  const spaces = ["-m", "-p", "-f", "--kill-child", ...(cgroup === undefined ? [] : ["-u", "-C"])];
  const first = spawn("sh", ["-c", `${enter}exec unshare ${spaces.join(" ")} sh -c "$0"`, setup], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    first.stdout.once("data", () => resolve());
    first.once("exit", (code) => reject(new Error(`the machine ended with ${code}`)));
  });
  const pid = childOf(first);
  const path = (inside: string) => join("/proc", pid, "root", inside);
  for (const file of ["etc/resolv.conf", "etc/hosts"]) copyFileSync(`/${file}`, path(file));
  const machine: DebianMachine = {
    path,
    async run(line, { user = "root", cwd = "/", env = {} } = {}) {
      const variables = Object.entries({ PATH, HOME: "/tmp", LANG: "C.UTF-8", ...env });
      const inside = ["-t", pid, "-m", "-p", "setpriv", `--reuid=${user}`];
      const groups = user === "root" ? ["--clear-groups"] : [`--regid=${user}`, "--init-groups"];
      const clean = ["env", "-i", "-C", cwd, ...variables.map((pair) => pair.join("="))];
      const words = [...inside, ...groups, ...clean, "sh", "-c", line];
      try {
        return (await start("nsenter", words, { maxBuffer: 1e8 })).stdout;
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        throw new Error(`${line}: ${code}\n${stdout}\n${stderr}`, { cause: error });
      }
    },
    async remove() {
      const gone = new Promise((resolve) => first.once("exit", resolve));
      process.kill(Number(pid), "SIGKILL");
      await gone;
      if (cgroup !== undefined) await retried(() => removeCgroup(cgroup.folder));
      rmSync(top, { recursive: true, force: true, maxRetries: 20 });
    },
  };
  // Systemd listens some moments after it has begun; a unit that fails is for a test to find.
  if (init === "systemd")
    await retried(() => machine.run("systemctl is-system-running --wait || true").then(isStarted));
  return machine;
}

const isStarted = (state: string): void => {
  if (!/^(running|degraded)$/m.test(state)) throw new Error(`the machine is ${state}`);
};

async function retried(attempt: () => unknown): Promise<void> {
  for (let left = 1200; ; left--)
    try {
      await attempt();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await sleep(100);
    }
}

function childOf({ pid }: ChildProcess): string {
  const { stdout } = spawnSync("cat", [`/proc/${pid}/task/${pid}/children`], { encoding: "utf8" });
  return stdout.trim();
}
