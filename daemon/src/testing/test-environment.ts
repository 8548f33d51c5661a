// TestEnvironment: what the tests of one run share: the tools of the system and of projects, the operator's policy, a
// folder for workspaces. Each test has its own kernel on top of it.
//
// TEST-ENVIRONMENT-1  It changes nothing in the live system, and leaves nothing when it is closed.
// TEST-ENVIRONMENT-2  A project's policy holds in its tests as it does in production, beside the operator's.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@aos/drivers";
import { DEFAULT_POLICY, type KernelOptions } from "@aos/kernel";
import { DEFAULT_TENANT, type ModelDriver, type Tool, type TrustLookup } from "@aos/protocol";
import { untrustedPolicies, type ProjectPolicies } from "../policy/project-policies.ts";
import type { PolicyLayerSource, PolicyText } from "../policy/policy-text.ts";
import { trustAnyFolder } from "../trust/library-trust.ts";
import { plugTools, type PluggedTools } from "../tools/plug-tools.ts";
import { openProgramRunner, type OpenProgramRunner } from "../program-runner-setup.ts";

export interface TestEnvironmentOptions extends Pick<
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

export class TestEnvironment implements AsyncDisposable {
  readonly options: TestEnvironmentOptions;
  readonly runner: OpenProgramRunner;
  readonly plugged: PluggedTools;
  readonly #folder = mkdtempSync(join(tmpdir(), "aos-test-"));

  constructor(options: TestEnvironmentOptions = {}) {
    this.options = options;
    const { sandbox, toolFolder } = options;
    const own = openProgramRunner({
      workspaces: { folder: join(this.#folder, "work") },
      private: options.private ?? [],
    });
    this.runner = {
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
    this.plugged = plugTools(this.runner, {
      trusted: options.trusted ?? trustAnyFolder,
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

  /** TEST-ENVIRONMENT-2. */
  policyFor(places: readonly string[]): {
    readonly texts: readonly PolicyText[];
    readonly sources: readonly PolicyLayerSource[];
  } {
    const { policy = [DEFAULT_POLICY], projects = untrustedPolicies } = this.options;
    const texts = projects.projectsOf(places).flatMap((project) => projects.textsOf(project));
    return { texts, sources: [...policy, ...texts.map(({ source }) => source)] };
  }

  /** The layers that bind what is started from these places. */
  layersAt(places: readonly string[]): string[] {
    const { projects = untrustedPolicies } = this.options;
    return projects
      .projectsOf(places)
      .flatMap((project) => projects.placesOf(project).map(({ layer }) => layer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plugged.projects.close();
    await this.runner.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
