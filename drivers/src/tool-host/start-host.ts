// Start host: the view and the limits of a tool host process.
//
// START-HOST-1  It has no network and no sockets. It can read the project's tools and packages, a few modules of the
//     system, and Node.
// START-HOST-2  Its time is not limited, because it is kept for later calls; its memory is. Where no cgroup
//     enforces that, the limit includes what Node reserves; otherwise Node does not start.

import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { mountsForProgram, type Mount, realProgram, type Sandbox } from "../sandbox/index.ts";
import { packagesOf, type Project, type ProjectModules } from "./project-files.ts";
import { type DescribedTools, HEAP_MIB, type HostTimes, ToolHost } from "./tool-host.ts";

const MIB = 2 ** 20;
const MEMORY_BYTES = 512 * MIB;
/** Node reserves this much for code. A cgroup counts what is used, an rlimit what is reserved. */
const RESERVED_BYTES = 512 * MIB;
const PROCESSES = 64;

const here = import.meta.dirname;
/** `.ts` in the repository, `.js` in the package. */
const ending = extname(import.meta.filename);
const drivers = join(here, "..");
const protocol = dirname(fileURLToPath(import.meta.resolve("@aos/protocol")));
const zod = dirname(fileURLToPath(import.meta.resolve("zod")));

/** Our own, as far as the host needs them. */
const OWN: readonly string[] = [
  join(here, "inside"),
  join(drivers, "tools", `define-tool${ending}`),
  join(drivers, "tools", `touch-template${ending}`),
  join(drivers, "..", "package.json"),
  protocol,
  join(protocol, "..", "package.json"),
  zod,
];

const url = (path: string): string => pathToFileURL(path).href;

const MODULES: Readonly<Record<string, string>> = {
  "agent-os": url(join(here, "inside", `agent-os${ending}`)),
  // Without what only checks: a host starts in half the time.
  "@aos/protocol/words": url(join(protocol, `words${ending}`)),
  zod: url(join(zod, "index.js")),
};

export async function startToolHost(
  sandbox: Sandbox,
  project: Project,
  { files, main, folder }: ProjectModules,
  times: HostTimes,
): Promise<{ host: ToolHost; described: DescribedTools }> {
  const node = realProgram(process.execPath, "") ?? process.execPath;
  const packages = packagesOf(project);
  const read = (from: string): Mount => ({ from, mode: "read" });
  const run = await sandbox.start({
    name: "tool-host",
    command: [
      node,
      `--max-old-space-size=${HEAP_MIB}`,
      "--disable-warning=ExperimentalWarning",
      join(here, "inside", `host${ending}`),
      JSON.stringify({ modules: MODULES, tools: `${url(project.tools)}/` }),
    ],
    mounts: [
      ...mountsForProgram(node, ""),
      ...OWN.map(read),
      { ...read(folder), at: project.tools },
      ...(packages === undefined ? [] : [read(packages)]),
    ],
    network: "none",
    profile: "program",
    output: "stream",
    limits: {
      wallMs: Infinity,
      cpuMs: Infinity,
      memoryBytes:
        sandbox.report.holds.mem === "enforced" ? MEMORY_BYTES : MEMORY_BYTES + RESERVED_BYTES,
      processes: PROCESSES,
    },
  });
  const host = new ToolHost(run, times);
  return { host, described: await host.load(files, main) };
}
