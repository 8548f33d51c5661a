// PolicyDiary: what the policy files of a home and its projects said, and when, so that the reference can
// judge under the policies that a daemon may have had in force.
//
//   look(cwd)        before and after every command: files are only changed in between
//   reigns(loads)    `loads` are the moments at which all files were read again, for certain
//
// POLICY-DIARY-1  A text may have been in force from the look before it was first seen until all files
//     were read again after it was gone. Where several may have been, the reference judges under each.

import { readFileSync } from "node:fs";
import { createScriptedModels } from "@aos/drivers";
import { builtInTools } from "../helpers/built-in-tools.ts";
import { DEFAULT_POLICY } from "@aos/kernel";
import {
  readConfig,
  homeOf,
  type Home,
  operatorPolicyFiles,
  type PolicyLocation,
  trustedPolicies,
  readPolicyFile,
  TrustRegistry,
  TrustFile,
} from "@aos/daemon/parts";
import { compileLayer } from "@aos/kernel/parts";
import type { Reign } from "../reference/reigns.ts";

interface Seen {
  readonly at: number;
  readonly policy: Reign["policy"];
}

type Env = Readonly<Record<string, string | undefined>>;

export class PolicyDiary {
  readonly #home: Home;
  readonly #env: Env;
  readonly #projects = new Set<string>();
  readonly #seen: Seen[] = [];
  /** When daemons were started. */
  readonly #starts = new Set<number>();

  constructor(env: Env) {
    this.#env = env;
    this.#home = homeOf(env);
  }

  /** What is not there, or broken, is no policy in force: what bound somebody denies then. */
  look(cwd: string): void {
    const [project] = this.#policies().projectsOf([cwd]);
    if (project !== undefined) this.#projects.add(project);
    for (const folder of (this.#readJson(this.#home.seenProjects) as string[] | undefined) ?? [])
      this.#projects.add(folder);
    const daemon = this.#readJson(this.#home.daemonInfo) as { startedAt: string } | undefined;
    if (daemon !== undefined) this.#starts.add(Date.parse(daemon.startedAt));
    const policy = this.#policyNow();
    const last = this.#seen.at(-1);
    if (policy === undefined || JSON.stringify(policy) === JSON.stringify(last?.policy)) return;
    this.#seen.push({ at: Date.now(), policy });
  }

  /** `loads`: when the ledger says that a person had the files read. */
  reigns(loads: readonly number[]): Reign[] {
    const read = [...loads, ...this.#starts].toSorted((a, b) => a - b);
    const there = { tools: builtInTools, models: [createScriptedModels({ folders: [] })] };
    return this.#seen.map(({ policy }, i) => {
      const next = this.#seen[i + 1];
      const until = next && read.find((at) => at >= next.at);
      return {
        ...there,
        policy,
        from: this.#seen[i - 1]?.at ?? -Infinity,
        until: until ?? Infinity,
      };
    });
  }

  /** Undefined where no daemon would take it. A project's file that is bad is as one that is gone. */
  #policyNow(): Reign["policy"] | undefined {
    try {
      const { policy, approvals } = readConfig(this.#home, this.#env);
      const channels = Object.keys(approvals.channels ?? {});
      const read = (places: readonly PolicyLocation[]) =>
        places.flatMap(({ file, layer }) => readPolicyFile(file, layer)?.source ?? []);
      const operator = read(operatorPolicyFiles(this.#home, policy.files));
      const policies = this.#policies();
      const projects = [...this.#projects].flatMap((project) =>
        policies.textsOf(project).map(({ source }) => source),
      );
      if (!operator.every((source) => isSound(source, channels))) return undefined;
      return [
        ...(policy.default ? [DEFAULT_POLICY] : []),
        ...operator,
        ...projects.filter((source) => isSound(source, channels)),
      ];
    } catch {
      return undefined; // a configuration that no daemon starts with
    }
  }

  /** As they were trusted; read anew, since another process writes them. */
  #policies() {
    const { trust: file, trusted: copies } = this.#home;
    return trustedPolicies(new TrustRegistry(new TrustFile({ file, copies })));
  }

  #readJson(file: string): unknown {
    try {
      return JSON.parse(readFileSync(file, "utf8"));
    } catch {
      return undefined;
    }
  }
}

/** That it can be loaded at all is the kernel's word. */
function isSound(source: Reign["policy"][number], channels: readonly string[]): boolean {
  const tools = new Set(builtInTools.map(({ name }) => name));
  try {
    return compileLayer(source.layer, source, { tools, channels: new Set(channels) }) !== undefined;
  } catch {
    return false;
  }
}
