// A Debian machine of a test's own: a root made by debootstrap, with namespaces for mounts and processes, in which
// packages are installed and daemons run. All of it is gone when its first process is.
//
// It takes root and debootstrap. The root is made once, below the folder for temporary files; what a test changes is in
// a layer of its own.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

export interface DebianMachine {
  /** A folder of the machine as this process sees it. */
  path(inside: string): string;
  /** Runs a line as root, or as somebody else; throws what it said when it failed. */
  run(line: string, user?: string): string;
  remove(): Promise<void>;
}

/** Why there can be none here. */
export function machineTrouble(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it needs root on Linux";
  for (const program of ["debootstrap", "unshare", "nsenter", "dpkg-deb", "strip"])
    if (spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0) return `no ${program}`;
  return undefined;
}

function debianRoot(): string {
  const root = join(tmpdir(), "aos-debian-root");
  if (existsSync(join(root, "complete"))) return root;
  rmSync(root, { recursive: true, force: true });
  const made = spawnSync(
    "debootstrap",
    ["--variant=minbase", "--include=adduser,bubblewrap,ca-certificates", "bookworm", root],
    { encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`debootstrap failed:\n${made.stdout}\n${made.stderr}`);
  mkdirSync(join(root, "complete"));
  return root;
}

export async function createDebianMachine(): Promise<DebianMachine> {
  const lower = debianRoot();
  const top = mkdtempSync(join(tmpdir(), "aos-deb-"));
  for (const name of ["up", "work", "m"]) mkdirSync(join(top, name));
  const root = join(top, "m");
  const layers = `lowerdir=${lower},upperdir=${join(top, "up")},workdir=${join(top, "work")}`;
  const setup = [
    `mount -t overlay overlay -o ${layers} ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    `mount -t tmpfs tmpfs ${root}/run`,
    "echo up",
    // The first process of the machine takes in the children of others, as an init does.
    "exec sh -c 'trap : CHLD; while :; do sleep 1; done'",
  ].join(" && ");
  const first = spawn("unshare", ["-m", "-p", "-f", "--kill-child", "sh", "-c", setup], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    first.stdout.once("data", () => resolve());
    first.once("exit", (code) => reject(new Error(`the machine ended with ${code}`)));
  });
  const pid = childOf(first);
  const run = (line: string, user = "root"): string => {
    const inside = ["-t", pid, "-m", "-p", "chroot", root, "setpriv"];
    const who = [`--reuid=${user}`, user === "root" ? "--clear-groups" : "--init-groups"];
    const clean = ["env", "-i", `PATH=${PATH}`, "HOME=/tmp", "LANG=C.UTF-8", "sh", "-c", line];
    const { status, stdout, stderr } = spawnSync("nsenter", [...inside, ...who, ...clean], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${line}: ${status}\n${stdout}\n${stderr}`);
    return stdout;
  };
  return {
    path: (inside) => join("/proc", pid, "root", root, inside),
    run,
    async remove() {
      const gone = new Promise((resolve) => first.once("exit", resolve));
      process.kill(Number(pid), "SIGKILL");
      await gone;
      rmSync(top, { recursive: true, force: true });
    },
  };
}

function childOf({ pid }: ChildProcess): string {
  const { stdout } = spawnSync("cat", [`/proc/${pid}/task/${pid}/children`], { encoding: "utf8" });
  return stdout.trim();
}
