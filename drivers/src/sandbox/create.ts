// Create: finds the sandbox of this machine, tests it, and reports what it enforces.
//
//   const sandbox = await createSandbox({ require: ["fs", "net", "syscalls", "mem"] });
//   sandbox.report.holds.mem    "enforced", or "advisory" where there are no cgroups
//
// CREATE-1  Without a sandbox nothing runs, unless the operator configured `none`.
// CREATE-2  Leftovers of a killed daemon are removed first.

import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SysError, type SandboxPart } from "@aos/protocol";
import { Bubblewrap } from "./bubblewrap.ts";
import { findBubblewrap } from "./bubblewrap-features.ts";
import { cgroupPlaces, Cgroups, findHierarchy } from "./cgroup/index.ts";
import { GuardedSandbox, type Driver } from "./guarded.ts";
import { removeLeftovers } from "./leftovers.ts";
import { UnsandboxedDriver, noneReport } from "./none.ts";
import { OwnFolder, ownFolders } from "./own-folder.ts";
import { markOf, currentOwner } from "./owner.ts";
import { probe } from "./probe.ts";
import { nothingHolds, sandboxReport } from "./report.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { Seatbelt, seatbeltReport } from "./seatbelt.ts";
import { Users } from "./users.ts";
import { WatchedGroups } from "./watched-group.ts";

const REQUIRED: readonly SandboxPart[] = ["fs", "net", "syscalls"];

const CGROUPS =
  "memory and process limits are only monitored, because the daemon may not create cgroups: run it as a service with `Delegate=yes`, or with `systemd-run --user --scope -p Delegate=yes`";
const USERNS =
  "this system may forbid user namespaces; on Ubuntu 24.04 install the AppArmor profile bwrap-userns-restrict (package apparmor-profiles)";
const BIND_FD =
  "this bubblewrap has no --bind-fd: a folder that is replaced during the start is followed";

export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const owner = currentOwner();
  if (options.level === "none") {
    return new GuardedSandbox(
      new UnsandboxedDriver(owner, options.limits ?? {}),
      noneReport,
      options.require ?? [],
    );
  }
  const required = options.require ?? REQUIRED;
  if (process.platform === "darwin") {
    const driver = new Seatbelt(owner, options);
    return new GuardedSandbox(driver, seatbeltReport, required);
  }
  const places = cgroupPlaces();
  await removeLeftovers({ cgroups: places?.roots ?? [], folders: ownFolders() });
  const hierarchy = places === undefined ? undefined : findHierarchy(places, owner);
  const features = await findBubblewrap();
  if ("problem" in features) {
    const { problem } = features;
    return new GuardedSandbox(new Nobody(problem), nothingHolds("nothing", [problem]), required);
  }
  const groups = hierarchy === undefined ? new WatchedGroups() : new Cgroups(hierarchy, owner);
  const self = { uid: process.getuid!(), gid: process.getgid!() };
  const folder = new OwnFolder(owner);
  const bubblewrap = new Bubblewrap({
    features,
    groups,
    owner,
    users: new Users({ owner, claims: ownFolders(), self }),
    folder,
    limits: options.limits ?? {},
    system: options.system ?? [],
  });
  const inTmp = join(tmpdir(), `${markOf(owner)}-witness`);
  writeFileSync(inTmp, "", { mode: 0o644 });
  const { findings, warnings } = await probe({
    start: (request) => bubblewrap.start(request, {}),
    groups,
    witnesses: [inTmp, folder.join("empty")],
  });
  rmSync(inTmp);
  if (findings.fs[0] === "absent") warnings.push(USERNS);
  if (!groups.isEnforced) warnings.push(CGROUPS);
  if (!features.hasBindFd) warnings.push(BIND_FD);
  const report = sandboxReport(`bubblewrap ${features.version}`, findings, warnings);
  return new GuardedSandbox(bubblewrap, report, required);
}

/** CREATE-1 */
class Nobody implements Driver {
  readonly #problem: string;

  constructor(problem: string) {
    this.#problem = problem;
  }

  async start(): Promise<never> {
    throw new SysError("EACCES", "this machine has no sandbox, and no program runs unsandboxed", {
      hint: this.#problem,
    });
  }

  async close(): Promise<void> {}
}
