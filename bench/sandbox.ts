// sandbox: what a sandboxed `true` costs through our driver, beside bare bubblewrap from the same process
// with the same namespaces, mounts and filter (no cgroup, no limits, no user of its own to find), and
// beside a plain spawn. The three take turns, so that a busy moment of the machine hits all alike. And how
// many a second when 50 are started at once.

import { spawn } from "node:child_process";
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "../drivers/src/sandbox/index.ts";
import { filterFor, knowsArchitecture } from "../drivers/src/sandbox/seccomp/profiles.ts";
import { makeEtc, systemPlaces } from "../drivers/src/sandbox/system-view.ts";
import { inChild } from "./child.ts";
import { median, quantile, round } from "./measure.ts";

const AT_ONCE = 50;

interface Figures {
  readonly ms: Record<string, { readonly median: number; readonly p95: number }>;
  readonly perSecond: Record<string, number>;
}

type Start = () => Promise<void>;

/** As whoever our runs are outside. */
const user = process.getuid?.() === 0 ? { uid: 61_180, gid: 61_180 } : {};

function ends(
  command: string,
  args: readonly string[],
  more: readonly number[] = [],
): Promise<void> {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe", ...more],
    env: {},
    ...user,
  });
  child.stdout?.resume();
  child.stderr?.resume();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`it ended with ${code}`)),
    );
  });
}

function bareBubblewrap(folder: string): Start {
  if (!knowsArchitecture(process.arch)) throw new Error(`no filter for ${process.arch}`);
  const etc = join(folder, "etc");
  const filter = join(folder, "filter");
  makeEtc(etc);
  writeFileSync(filter, filterFor("tool", process.arch));
  const { folders, links } = systemPlaces();
  const args = [
    ...folders.flatMap((at) => ["--ro-bind", at, at]),
    ...links.flatMap(([target, at]) => ["--symlink", target, at]),
    ..."--proc /proc --dev /dev --tmpfs /dev/shm --tmpfs /tmp".split(" "),
    "--ro-bind",
    etc,
    "/etc",
    ..."--remount-ro /dev --remount-ro / --unshare-all --unshare-user --disable-userns".split(" "),
    ..."--uid 1000 --gid 1000 --hostname sandbox --cap-drop ALL --new-session".split(" "),
    ..."--die-with-parent --clearenv --setenv PATH /usr/bin:/bin --setenv HOME /tmp".split(" "),
    ..."--chdir /tmp --seccomp 3 -- true".split(" "),
  ];
  return async () => {
    const fd = openSync(filter, "r");
    const ended = ends("/usr/bin/bwrap", args, [fd]);
    closeSync(fd);
    await ended;
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** In a process of its own. */
export async function runSandbox({ rounds }: { rounds: number }): Promise<Figures> {
  const sandbox = await createSandbox();
  const folder = mkdtempSync(join(tmpdir(), "aos-bench-"));
  // The others' user has to read it.
  chmodSync(folder, 0o755);
  const starts: Record<string, Start> = {
    ours: async () => {
      const run = await sandbox.start({
        command: ["true"],
        mounts: [],
        network: "none",
        profile: "tool",
        output: "collect",
        name: "bench",
      });
      const { code } = await run.ended;
      if (code !== 0) throw new Error(`it ended with ${code}`);
    },
    bubblewrap: bareBubblewrap(folder),
    spawn: () => ends("/usr/bin/true", []),
  };
  const times: Record<string, number[]> = { ours: [], bubblewrap: [], spawn: [] };
  const perSecond: Record<string, number> = {};
  for (let round = -5; round < rounds; round++) {
    for (const [who, start] of Object.entries(starts)) {
      const ms = await timed(start);
      if (round >= 0) times[who]!.push(ms);
    }
  }
  const bursts: Record<string, number[]> = { ours: [], bubblewrap: [], spawn: [] };
  for (let round = 0; round < 5; round++) {
    for (const [who, start] of Object.entries(starts)) {
      bursts[who]!.push(await timed(() => Promise.all(Array.from({ length: AT_ONCE }, start))));
    }
  }
  for (const [who, all] of Object.entries(bursts))
    perSecond[who] = round((AT_ONCE * 1000) / median(all));
  await sandbox.close();
  rmSync(folder, { recursive: true });
  const ms = Object.entries(times).map(([who, all]) => [
    who,
    { median: round(median(all), 2), p95: round(quantile(all, 0.95), 2) },
  ]);
  return { ms: Object.fromEntries(ms) as Figures["ms"], perSecond };
}

export async function sandbox(): Promise<Record<string, unknown>> {
  const { ms, perSecond } = await inChild<Figures>("sandbox", { rounds: 150 });
  const ours = ms["ours"]!.median;
  return {
    ours,
    bubblewrap: ms["bubblewrap"]!.median,
    spawn: ms["spawn"]!.median,
    timesBubblewrap: round(ours / ms["bubblewrap"]!.median, 2),
    timesSpawn: round(ours / ms["spawn"]!.median, 2),
    p95: Object.fromEntries(Object.entries(ms).map(([who, { p95 }]) => [who, p95])),
    [`perSecond${AT_ONCE}AtOnce`]: perSecond,
    limit: 1.25,
    unit: "ms for a sandboxed `true`; the limit is on timesBubblewrap",
  };
}
