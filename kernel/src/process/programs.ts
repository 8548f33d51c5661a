// Programs and agents by name.

import {
  manifestSchema,
  programOf,
  SysError,
  type Manifest,
  type ManifestText,
  type Program,
  type ProgramConfinement,
  type ProgramDriver,
  type SyscallArgs,
} from "@aos/protocol";
import { type CapabilityBlock, ceilingAbove, confinementBy } from "../capability/index.ts";
import type { KernelOptions, VersionedProgram } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import { localProgram } from "./local-program.ts";
import type { Process } from "./process.ts";
import { readCapabilities } from "./process-factory.ts";

const read = new WeakSet<object>();

/** A manifest as people write it, checked to the last field; EINVAL names the field. */
export function readManifest(text: ManifestText | Manifest): Manifest {
  if (read.has(text)) return text as Manifest;
  const parsed = manifestSchema.safeParse(text);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
    const field = [...issue.path, ...(unknown === undefined ? [] : [unknown])]
      .map(String)
      .join(".");
    const what = unknown === undefined ? issue.message : "no such field";
    throw new SysError("EINVAL", `manifest: ${field || "manifest"}: ${what}`, {
      detail: { field },
    });
  }
  parsed.data.capabilities.forEach((capability, index) => {
    try {
      readCapabilities([capability]);
    } catch (error) {
      throw new SysError("EINVAL", `manifest: capabilities.${index}: ${(error as Error).message}`, {
        detail: { field: `capabilities.${index}` },
      });
    }
  });
  read.add(parsed.data);
  return parsed.data;
}

/** The same driver, which is told with every start what the tenant's ceiling lets a program see. */
const within = (
  driver: ProgramDriver,
  confinement: ProgramConfinement | undefined,
): ProgramDriver =>
  confinement === undefined
    ? driver
    : { start: (what, listener) => driver.start({ ...what, confinement }, listener) };

export class Programs {
  readonly #local = new Map<string, VersionedProgram>();
  readonly #foreign: ProgramDriver | undefined;
  readonly #agents: NonNullable<KernelOptions["agents"]>;

  readonly #platform: Platform;

  constructor(options: Pick<KernelOptions, "programs" | "foreign" | "agents">, platform: Platform) {
    this.#platform = platform;
    for (const [name, program] of Object.entries(options.programs ?? {})) {
      this.#local.set(
        name,
        typeof program === "function" ? { version: "0", run: program } : program,
      );
    }
    this.#foreign = options.foreign;
    this.#agents = options.agents ?? (() => undefined);
  }

  /** The manifest of an agent, or one made up for a program that has none: it may do what it is given. */
  manifestOf(
    agent: string,
    capabilities: readonly string[],
  ): { manifest: Manifest; folder?: string; isBare: boolean } {
    const source = this.#agents(agent);
    if (source !== undefined)
      return { ...source, manifest: readManifest(source.manifest), isBare: false };
    if (!this.#local.has(agent)) {
      throw new SysError("ENOENT", `unknown agent ${agent}`, {
        hint: `put a manifest into .agents/agents/, or name one of the programs ${[...this.#local.keys()].join(", ") || "(none)"}`,
      });
    }
    const name = /^[a-z0-9][a-z0-9._-]{0,62}$/.test(agent) ? agent : "program";
    return {
      manifest: readManifest({
        apiVersion: "aos/v1",
        kind: "Agent",
        name,
        program: agent,
        capabilities: [...capabilities],
      }),
      isBare: true,
    };
  }

  /** What a process starts: a registered agent, or what it says itself. */
  manifestOfChild({ agent, manifest, capabilities = [] }: SyscallArgs<"spawn">): {
    manifest: Manifest;
    folder?: string;
    isBare: boolean;
    isInline: boolean;
  } {
    if (manifest === undefined)
      return { ...this.manifestOf(agent!, capabilities), isInline: false };
    const read = readManifest(manifest as unknown as ManifestText);
    if (read.command !== undefined)
      throw new SysError("EINVAL", "manifest: command: an inline manifest runs a program by name");
    return { manifest: read, isBare: false, isInline: true };
  }

  /** `ceiling` is that of the tenant, if it has one: a version is not read from what that forbids. */
  async versionOf(
    manifest: Manifest,
    folder: string | undefined,
    ceiling: CapabilityBlock | null,
  ): Promise<string> {
    if (manifest.command !== undefined) {
      if (this.#foreign === undefined)
        throw new SysError("EINVAL", "this kernel has no driver for foreign programs");
      const confinement = confinementBy(ceiling, this.#platform);
      return (await this.#foreign.version?.(manifest.command, folder, confinement)) ?? "0";
    }
    const name = programOf(manifest);
    const program = this.#local.get(name);
    if (program !== undefined) return program.version;
    throw new SysError("ENOENT", `unknown program ${name}`, {
      hint: `available programs: ${[...this.#local.keys()].join(", ") || "none"}`,
    });
  }

  driverFor(process: Process): ProgramDriver {
    const { command, program, programVersion } = process.row.spec;
    if (command !== undefined && this.#foreign !== undefined)
      return within(this.#foreign, confinementBy(ceilingAbove(process.block), this.#platform));
    const local = command === undefined ? this.#local.get(program) : undefined;
    if (local !== undefined)
      return localProgram(versionNamed(local, program, programVersion), program);
    throw new SysError(
      "ENOENT",
      `the program of ${process.pid} is not available: ${command?.join(" ") ?? program}`,
    );
  }
}

/** What began under a version goes on under it. */
function versionNamed(
  { version, run, earlier }: VersionedProgram,
  name: string,
  wanted: string,
): Program {
  if (wanted === version || earlier === undefined) return run;
  const found = Object.hasOwn(earlier, wanted) ? earlier[wanted] : undefined;
  if (found !== undefined) return found;
  const known = [...Object.keys(earlier), version].join(", ");
  throw new SysError(
    "REPLAY_DIVERGED",
    `it started with version ${wanted} of the program ${name}, but this release has ${known}`,
  );
}
