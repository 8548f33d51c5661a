// Seatbelt: the sandbox on macOS: sandbox-exec with a profile made from the same confinement.
//
// It has not been run on macOS: the profile is tested as text, the rest is what the other drivers use.
//
// There are no namespaces: a run sees its files at their real paths (`at` is ignored), and the process table. There
// are no cgroups: memory, processes and CPU are watched and limited by rlimits, which is reported as `advisory`.

import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SysError } from "@aos/protocol";
import type { Driver } from "./guarded.ts";
import { settleLimits } from "./limits.ts";
import { markOf, type DaemonMark } from "./owner.ts";
import { findRelay, proxyEnvironment } from "./relay.ts";
import { sandboxReport } from "./report.ts";
import { withRlimits } from "./rlimits.ts";
import type { Launch } from "./launch.ts";
import { startSandboxedRun } from "./run.ts";
import type { SandboxedRun, RunRequest, SandboxOptions, SandboxReport } from "./sandbox.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";
import { onMachine, placeMounts } from "./sources.ts";
import { systemAuthorities } from "./system-view.ts";
import { WatchedGroups } from "./watched-group.ts";

const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

export const seatbeltReport: SandboxReport = sandboxReport(
  "seatbelt",
  {
    fs: ["enforced", "seatbelt"],
    net: ["enforced", "seatbelt"],
    syscalls: ["enforced", "seatbelt"],
    pids: ["advisory", "watching"],
    mem: ["advisory", "watching"],
    cpu: ["advisory", "watching and rlimit"],
    disk: ["advisory", "watching and rlimit"],
    files: ["advisory", "watching"],
  },
  ["the macOS driver implements the same contract and has not been tested on macOS"],
);

/** Runs share the machine's network, so each has its own port. */
const FIRST_PORT = 31_280;
const PORTS = 4096;

export class Seatbelt implements Driver {
  readonly #groups = new WatchedGroups();
  readonly #owner: DaemonMark;
  readonly #options: SandboxOptions;
  #count = 0;

  constructor(owner: DaemonMark, options: SandboxOptions) {
    this.#owner = owner;
    this.#options = options;
  }

  async start(request: RunRequest): Promise<SandboxedRun> {
    if (!existsSync(SANDBOX_EXEC)) throw new SysError("EACCES", `${SANDBOX_EXEC} does not exist`);
    if (request.command.length === 0) throw new SysError("EINVAL", "the command is empty");
    if (request.network !== "none" && request.profile === "program") {
      throw new SysError(
        "EINVAL",
        "a run of the profile `program` has no sockets and therefore no proxy",
      );
    }
    const limits = settleLimits(request.limits, this.#options.limits);
    const mounts = placeMounts(request.mounts);
    // Profiles are about real paths; /tmp is a link there.
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), `${markOf(this.#owner)}-`)));
    const cleanUp = () => rmSync(scratch, { recursive: true, force: true });
    try {
      const port = FIRST_PORT + (this.#count++ % PORTS);
      const network =
        request.network === "none" ? undefined : this.#network(request.network, scratch, port);
      const profile = seatbeltProfile({
        mounts,
        hidden: (request.hidden ?? []).flatMap(
          // A name on this machine's volumes is text.
          (path) => onMachine(path, mounts)?.toString() ?? [],
        ),
        system: this.#options.system ?? [],
        scratch,
        profile: request.profile,
        ...(network === undefined ? {} : { proxy: network.proxy }),
      });
      const group = await this.#groups.take({ limits, mark: scratch });
      const needs = { limits, withMemory: true, descriptors: 0 };
      const command = [SANDBOX_EXEC, "-p", profile, ...(network?.relay ?? []), ...request.command];
      const launch: Launch = {
        command: withRlimits(needs, command),
        env: {
          PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
          HOME: scratch,
          LANG: "C.UTF-8",
          TMPDIR: scratch,
          ...network?.env,
          ...request.env,
        },
        folder: onMachine(request.folder ?? scratch, mounts) ?? scratch,
        writable: [
          ...mounts.filter(({ mode }) => mode === "write").map(({ from }) => from),
          scratch,
        ],
        cleanUp,
      };
      return await startSandboxedRun(launch, request, { limits, group });
    } catch (error) {
      cleanUp();
      throw error;
    }
  }

  async close(): Promise<void> {}

  #network(
    { proxySocket, authorities }: Exclude<RunRequest["network"], "none">,
    scratch: string,
    port: number,
  ) {
    const relay = findRelay();
    if (relay === undefined)
      throw new SysError("EACCES", "perl or socat is needed to reach the proxy");
    const socket = realpathSync(proxySocket);
    const script = join(scratch, ".relay");
    writeFileSync(script, relay.script({ port, socket }));
    let bundle: string | undefined;
    if (authorities !== undefined) {
      bundle = join(scratch, ".authorities.pem");
      writeFileSync(bundle, `${systemAuthorities()}\n${authorities}\n`);
    }
    return {
      proxy: { port, socket },
      relay: relay.command(script),
      env: proxyEnvironment(bundle, port),
    };
  }
}
