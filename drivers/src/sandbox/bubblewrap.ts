// Bubblewrap: the sandbox on Linux. It opens the visible files and builds the arguments for bubblewrap; the rest is
// the same for every driver (run.ts).
//
// BUBBLEWRAP-1  Only listed files are visible: the view starts empty.
// BUBBLEWRAP-3  A run is refused if a required part is not enforced.

import { chmodSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import { SysError } from "@aos/protocol";
import {
  ARGUMENTS_FD,
  FIRST_FREE_FD,
  INFO_FD,
  MAKE_BLOCK_FD,
  hiddenFiles,
  openArguments,
  pipedArguments,
  type BindMount,
  type BubblewrapPlan,
  type ArgumentWord,
} from "./bubblewrap-arguments.ts";
import type { BubblewrapFeatures } from "./bubblewrap-features.ts";
import { translateExit } from "./exit.ts";
import type { Group, Groups } from "./group.ts";
import type { Driver } from "./guarded.ts";
import { settleLimits, type SandboxLimits } from "./limits.ts";
import { markOf, type DaemonMark } from "./owner.ts";
import type { OwnFolder } from "./own-folder.ts";
import { hasOwnStreams, PUT_ASIDE, restoreStreams } from "./own-streams.ts";
import { AUTHORITIES, findRelay, proxyEnvironment, RELAY_SCRIPT, type Relay } from "./relay.ts";
import { findProcesses, tasksOf } from "./process-table.ts";
import { withRlimits } from "./rlimits.ts";
import type { Launch } from "./launch.ts";
import { startSandboxedRun } from "./run.ts";
import { networkMounts } from "./run-network.ts";
import { RunSources } from "./run-sources.ts";
import type { SandboxedRun, RunLimits, RunRequest } from "./sandbox.ts";
import { filterFor, knowsArchitecture } from "./seccomp/profiles.ts";
import { kindOf, onMachine, placeMounts, type PlacedMount } from "./sources.ts";
import { makeEtc, systemPlaces } from "./system-view.ts";
import type { User, Users } from "./users.ts";

export interface BubblewrapOptions {
  readonly features: BubblewrapFeatures;
  readonly groups: Groups;
  readonly users: Users;
  readonly folder: OwnFolder;
  readonly owner: DaemonMark;
  readonly limits: RunLimits;
  /** Paths beside /usr that every run sees. */
  readonly system: readonly string[];
}

/** Beside these a run's environment is empty. */
const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
  HOME: "/tmp",
  LANG: "C.UTF-8",
  TMPDIR: "/tmp",
};

/** Runs of this process so far: two sandboxes of one daemon have no number in common. */
let started = 0;

export class Bubblewrap implements Driver {
  readonly #options: BubblewrapOptions;
  readonly #system = systemPlaces();
  readonly #relay: Relay | undefined = findRelay();

  constructor(options: BubblewrapOptions) {
    this.#options = options;
    const { folder } = options;
    // Runs of every user look into it; they cannot list it.
    chmodSync(folder.path, 0o711);
    mkdirSync(folder.join("aliases"));
    chmodSync(folder.join("aliases"), 0o711);
    makeEtc(folder.join("etc"));
    writeFileSync(folder.join("empty"), "", { mode: 0o444 });
    if (this.#relay !== undefined)
      writeFileSync(folder.join("relay"), this.#relay.script(), { mode: 0o644 });
    if (knowsArchitecture(process.arch)) {
      for (const profile of ["tool", "program"] as const) {
        writeFileSync(folder.join(profile), filterFor(profile, process.arch));
      }
    }
  }

  /** `most` is what no run exceeds: the operator's limits. */
  async start(request: RunRequest, most = this.#options.limits): Promise<SandboxedRun> {
    const { groups, users, owner, features, folder } = this.#options;
    const limits = settleLimits(request.limits, most);
    const mounts = placeMounts(request.mounts);
    mustBeSound(request);
    const id = ++started;
    const mark = `${markOf(owner)}-run-${id}`;
    const user = users.lend(request.user);
    let group: Group | undefined;
    let isCleanedUp = false;
    const cleanUp = (): void => {
      if (isCleanedUp) return;
      isCleanedUp = true;
      if (group !== undefined) groups.giveBack(group);
      users.giveBack(user);
      rmSync(this.#bundleOf(id), { force: true });
    };
    const sources = new RunSources({
      hasBindFd: features.hasBindFd,
      user,
      isRoot: process.getuid?.() === 0,
      aliases: folder.join("aliases"),
      first: FIRST_FREE_FD,
    });
    try {
      group = await groups.take({ limits, mark });
      const walls = this.#walls({ request, limits, mounts, user, id, mark, sources });
      const rlimits = {
        limits,
        withMemory: !groups.isEnforced,
        ...(groups.isEnforced ? {} : { tasksBefore: tasksOf(user.uid) }),
        descriptors: sources.descriptors.length + FIRST_FREE_FD,
      };
      const bwrap = [features.path, ...openArguments(walls), "--", ...this.#command(request)];
      const redirect = MAKE_BLOCK_FD + (hasOwnStreams(request) ? PUT_ASIDE : "");
      const launch: Launch = {
        command: sources.wrap(withRlimits(rlimits, bwrap, redirect)),
        // Its first process keeps both in sight of the run: they say nothing.
        env: { PATH: ENVIRONMENT.PATH },
        folder: "/",
        ...(sources.hasAliases ? {} : { user: { uid: user.uid, gid: user.gid } }),
        more: ["pipe", "pipe", "ignore", "ignore", "ignore", ...sources.descriptors],
        writable: mounts.filter(({ mode }) => mode === "write").map(({ from }) => from),
        instruct: (child) => {
          const pipe = child.stdio[ARGUMENTS_FD] as NodeJS.WritableStream;
          pipe.end(Buffer.concat(pipedArguments(walls).flatMap((word) => [bytesOf(word), NUL])));
        },
        inner: (child) => readInner(child.stdio[INFO_FD] as Duplex),
        release: (child) => void (child.stdio[INFO_FD] as Duplex).end("go"),
        strays: () => findProcesses(mark),
        translate: translateExit,
        cleanUp,
      };
      return await startSandboxedRun(launch, request, { limits, group });
    } catch (error) {
      cleanUp();
      throw error;
    } finally {
      sources.close();
    }
  }

  async close(): Promise<void> {
    const { groups, users, folder } = this.#options;
    await groups.close();
    users.close();
    folder.remove();
  }

  /** The authorities of one run. */
  #bundleOf(id: number): string {
    return this.#options.folder.join(`authorities-${id}.pem`);
  }

  #command(request: RunRequest): readonly string[] {
    const { command, network } = request;
    if (network === "none") return hasOwnStreams(request) ? restoreStreams(command) : command;
    return [...this.#relay!.command(RELAY_SCRIPT), ...command];
  }

  #walls(run: {
    readonly request: RunRequest;
    readonly limits: SandboxLimits;
    readonly mounts: readonly PlacedMount[];
    readonly user: User;
    readonly id: number;
    readonly mark: string;
    readonly sources: RunSources;
  }): BubblewrapPlan {
    const { request, limits, mounts, user, id, mark, sources } = run;
    const { features, folder, system } = this.#options;
    const bound: BindMount[] = [
      { from: folder.join("etc"), at: "/etc", mode: "read" as const },
      ...system.map((from) => ({ from, at: from, mode: "read" as const })),
      ...mounts,
      ...(request.network === "none"
        ? []
        : networkMounts(request.network, {
            relay: this.#relay,
            script: folder.join("relay"),
            bundle: this.#bundleOf(id),
            user,
          })),
    ].map(({ from, at, mode }) => ({ source: sources.give(from), at, mode }));
    const hidden = sortHidden(request.hidden ?? [], mounts);
    const isRoot = user.uid === 0;
    return {
      features,
      system: this.#system,
      bound,
      hidden,
      empty:
        hiddenFiles({ isRoot, hidden }).length === 0
          ? undefined
          : sources.give(folder.join("empty")),
      seccomp: knowsArchitecture(process.arch)
        ? sources.hand(openSync(folder.join(request.profile), "r"))
        : undefined,
      env: {
        ...ENVIRONMENT,
        ...(request.network === "none"
          ? {}
          : proxyEnvironment(request.network.authorities === undefined ? undefined : AUTHORITIES)),
        ...request.env,
      },
      folder: request.folder ?? "/tmp",
      limits,
      isRoot,
      mark,
    };
  }
}

/** `{ "child-pid": 1234, … }`; nothing when bubblewrap ends before it says so. */
async function readInner(info: Duplex): Promise<number | undefined> {
  let text = "";
  try {
    for await (const chunk of info.iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      const found = /"child-pid": (\d+)\D/.exec(text);
      if (found !== null) return Number(found[1]);
    }
  } catch {
    // The same: it ended.
  }
  return undefined;
}

/** Everything goes through a list whose items end with a NUL. */
function mustBeSound({ command, env = {}, folder = "/tmp", network, profile }: RunRequest): void {
  if (command.length === 0) throw new SysError("EINVAL", "the command is empty");
  const texts = [...command, folder, ...Object.keys(env), ...Object.values(env)];
  if (texts.some((text) => text.includes("\0"))) {
    throw new SysError(
      "EINVAL",
      "a command, folder or environment variable contains a NUL character",
    );
  }
  if (Object.keys(env).some((name) => name === "" || name.includes("="))) {
    throw new SysError("EINVAL", "the name of an environment variable is empty or contains =");
  }
  if (!folder.startsWith("/")) throw new SysError("EINVAL", `${folder} is not an absolute path`);
  if (network !== "none" && profile === "program") {
    throw new SysError(
      "EINVAL",
      "a run of the profile `program` has no sockets and therefore no proxy",
    );
  }
}

const NUL = Buffer.from([0]);

const bytesOf = (word: ArgumentWord): Buffer =>
  typeof word === "string" ? Buffer.from(word) : word;

/** A missing path needs no hiding, and hiding it must not create it. */
function sortHidden(
  hidden: readonly ArgumentWord[],
  mounts: readonly PlacedMount[],
): BubblewrapPlan["hidden"] {
  const files: ArgumentWord[] = [];
  const folders: ArgumentWord[] = [];
  for (const path of hidden) {
    const from = onMachine(path, mounts);
    const kind = from === undefined ? undefined : kindOf(from);
    if (kind === "file") files.push(path);
    if (kind === "folder") folders.push(path);
  }
  return { files, folders };
}
