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

import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const start = promisify(execFile);
const PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const PACKAGES = "adduser,bubblewrap,ca-certificates,python3";

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
  const root = join(tmpdir(), "aos-debian-12-python");
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

export async function createDebianMachine(): Promise<DebianMachine> {
  const lower = await debianRoot();
  const top = mkdtempSync(join(tmpdir(), "aos-machine-"));
  for (const name of ["up", "work", "m"]) mkdirSync(join(top, name));
  const root = join(top, "m");
  const layers = `lowerdir=${lower},upperdir=${join(top, "up")},workdir=${join(top, "work")}`;
  const setup = [
    `mount -t overlay overlay -o ${layers} ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    `mount -t tmpfs tmpfs ${root}/run`,
    `chmod 755 ${root}`,
    `cd ${root}`,
    "mkdir .host",
    "pivot_root . .host", // MACHINE-2
    "umount -l /.host",
    "rmdir /.host",
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
  const path = (inside: string) => join("/proc", pid, "root", inside);
  for (const file of ["etc/resolv.conf", "etc/hosts"]) copyFileSync(`/${file}`, path(file));
  return {
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
      rmSync(top, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

function childOf({ pid }: ChildProcess): string {
  const { stdout } = spawnSync("cat", [`/proc/${pid}/task/${pid}/children`], { encoding: "utf8" });
  return stdout.trim();
}
