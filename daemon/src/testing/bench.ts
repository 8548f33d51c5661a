// Bench: what the tests of one run share: the tools of the system and of projects, the operator's policy, a
// folder for workspaces. Each test has a kernel of its own over it.
//
// BENCH-1  Nothing of the live system is changed, and nothing is left when the bench is closed.
// BENCH-2  A project's policy holds in its tests as it does in production, beside the operator's.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@aos/drivers";
import { DEFAULT_POLICY, type KernelOptions } from "@aos/kernel";
import { DEFAULT_TENANT, type ModelDriver, type Tool, type TrustLookup } from "@aos/protocol";
import { policiesAsTheyAre, type ProjectPolicies } from "../policy/project-policies.ts";
import type { PolicyLayerSource, PolicyText } from "../policy/policy-text.ts";
import { asItIs } from "../trust/as-it-is.ts";
import { plugTools, type PluggedTools } from "../tools/plug-tools.ts";
import { openWorkshop, type OpenWorkshop } from "../workshop.ts";

export interface BenchOptions extends Pick<
  KernelOptions,
  "limits" | "approvals" | "agents" | "skills" | "programs"
> {
  /** What binds everyone: the policy that ships unless said. */
  readonly policy?: readonly PolicyLayerSource[];
  readonly sandbox?: () => Promise<Sandbox>;
  /** Folders that no program sees. */
  readonly private?: readonly string[];
  /** Where agents are found by name, and scripts, beside the project's own. */
  readonly agentFolders?: readonly string[];
  readonly scriptFolders?: readonly string[];
  /** A folder whose programs are tools for everyone. */
  readonly toolFolder?: string;
  /** Which project folders count: all of them, as they are, unless said. */
  readonly trusted?: TrustLookup;
  readonly projects?: ProjectPolicies;
  /** Names of tools that rules may speak of although no test has them. */
  readonly mayComeToBe?: (name: string) => boolean;
  /** What would answer for a provider in production. It is never asked to. */
  readonly liveDriver?: (provider: string) => ModelDriver | undefined;
}

export class Bench implements AsyncDisposable {
  readonly options: BenchOptions;
  readonly shop: OpenWorkshop;
  readonly plugged: PluggedTools;
  readonly #folder = mkdtempSync(join(tmpdir(), "aos-test-"));

  constructor(options: BenchOptions = {}) {
    this.options = options;
    const { sandbox, toolFolder } = options;
    const own = openWorkshop({
      workspaces: { folder: join(this.#folder, "work") },
      private: options.private ?? [],
    });
    this.shop = {
      sandbox: sandbox ?? own.sandbox,
      get workspaces() {
        return own.workspaces;
      },
      get socketFolder() {
        return own.socketFolder;
      },
      get quarantine() {
        return own.quarantine;
      },
      private: own.private,
      close: () => own.close(),
    };
    this.plugged = plugTools(this.shop, {
      trusted: options.trusted ?? asItIs,
      ...(toolFolder === undefined ? {} : { homeFolder: toolFolder }),
    });
  }

  /** A folder of its own, gone with the bench. */
  newFolder(): string {
    return mkdtempSync(join(this.#folder, "files-"));
  }

  /** The tools that there are for an agent from this folder, without any test. */
  async toolsFor(folder: string): Promise<readonly Tool[]> {
    const { tools, projects } = this.plugged;
    const scope = { tenant: DEFAULT_TENANT, folders: [folder] };
    await projects.prepare(scope);
    return [...tools, ...projects.tools(scope)];
  }

  /** BENCH-2. */
  policyFor(places: readonly string[]): {
    readonly texts: readonly PolicyText[];
    readonly sources: readonly PolicyLayerSource[];
  } {
    const { policy = [DEFAULT_POLICY], projects = policiesAsTheyAre } = this.options;
    const texts = projects.projectsOf(places).flatMap((project) => projects.textsOf(project));
    return { texts, sources: [...policy, ...texts.map(({ source }) => source)] };
  }

  /** The layers that bind what is started from these places. */
  layersAt(places: readonly string[]): string[] {
    const { projects = policiesAsTheyAre } = this.options;
    return projects
      .projectsOf(places)
      .flatMap((project) => projects.placesOf(project).map(({ layer }) => layer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plugged.projects.close();
    await this.shop.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
