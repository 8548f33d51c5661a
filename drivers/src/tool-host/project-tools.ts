// Project tools: the provider of `.agents/tools` of a project: TypeScript modules, which run in a sandboxed host, and
// programs of the machine that are declared as data.
//
//   const provider = createProjectTools({ shop, tools, homeFolder, onFlaw });
//   await provider.prepare(scope); provider.tools(scope)
//
// PROJECT-TOOLS-1  No code of a project runs in this process.
// PROJECT-TOOLS-2  The tools are the trusted part of the present files: a change is seen by the next lookup, and a
//     tool that changed since it was requested is not run. For an untrusted project nothing is loaded and no host is
//     started.
// PROJECT-TOOLS-3  Descriptions of a project that the agent only works in, and does not come from, are untrusted.
// PROJECT-TOOLS-4  A tool that cannot be loaded is left out and reported once.

import { readdirSync } from "node:fs";
import type {
  Label,
  Tool,
  ToolScope,
  ToolProvider,
  TrustedFolder,
  TrustLookup,
} from "@aos/protocol";
import type { ProgramRunner } from "../tools/program-runner.ts";
import { hostRequestTools } from "./host-requests.ts";
import { ToolGeneration, type GenerationOptions, type HostTimings } from "./generation.ts";
import { readPrograms, type ProgramFiles } from "./program-files.ts";
import { isProgram, trustedPaths, type Project, projectAt } from "./project-files.ts";
import { readModules, textIn } from "./project-files.ts";

export interface ProjectToolsOptions {
  readonly runner: ProgramRunner;
  /** The system's own tools: some of them do what tools in a host ask for. */
  readonly tools: readonly Tool[];
  readonly trusted: TrustLookup;
  /** A folder whose programs are there for everyone. */
  readonly homeFolder?: string;
  readonly onFlaw?: (flaw: string) => void;
  readonly times?: Partial<HostTimings>;
}

export interface ToolFlaw {
  readonly message: string;
  /** The project that is not trusted, where that is why. */
  readonly untrusted?: string;
}

export interface ProjectTools extends ToolProvider {
  /** Files that were not loaded, and why. */
  flaws(scope: ToolScope): readonly ToolFlaw[];
  close(): Promise<void>;
}

const TIMES: HostTimings = { loadMs: 15_000, graceMs: 500, callMs: 120_000, idleMs: 300_000 };
/** After so long what could not be loaded is tried again, changed or not. */
const AGAIN_MS = 30_000;

const ANYBODY: Label = { integrity: "untrusted", secrecy: "public" };

export function createProjectTools(options: ProjectToolsOptions): ProjectTools {
  const { runner, tools, homeFolder, times, trusted } = options;
  const means: GenerationOptions = {
    sandbox: runner.sandbox,
    requestTools: new Map(
      tools.filter(({ name }) => hostRequestTools.includes(name)).map((tool) => [tool.name, tool]),
    ),
    times: { ...TIMES, ...times },
  };
  const said = new Set<string>();
  const say = (flaw: string) => {
    if (!said.has(flaw)) options.onFlaw?.(flaw);
    said.add(flaw);
  };
  const home = () => (homeFolder === undefined ? NO_PROGRAMS : programsOf(runner, homeFolder));
  let ofHome = NO_PROGRAMS;
  const providers = new Map<string, ProjectProvider>();
  /** The projects of a scope, each once, in the order of its folders. */
  const projectsOf = ({ folders }: ToolScope): Project[] => {
    const found = folders.flatMap((place) => projectAt(place) ?? []);
    return [...new Map(found.map((project) => [project.folder, project])).values()];
  };
  /** PROJECT-TOOLS-2. Undefined where it is not trusted. */
  const providerOf = (project: Project, tenant: string): ProjectEntry | undefined => {
    const now = trusted(project.folder, tenant);
    if (now === undefined) return undefined;
    let provider = providers.get(project.folder);
    if (provider === undefined) {
      provider = new ProjectProvider(project, runner, means);
      providers.set(project.folder, provider);
    }
    return { provider, now };
  };
  const shelvesOf = (projects: readonly Project[], tenant: string): ProjectEntry[] =>
    projects.flatMap((project) => providerOf(project, tenant) ?? []);
  const flawsOf = (projects: readonly Project[], tenant: string): ToolFlaw[] => [
    ...ofHome.flaws.map((message) => ({ message })),
    ...projects.flatMap((project) => {
      const standing = providerOf(project, tenant);
      if (standing !== undefined) return standing.provider.flaws.map((message) => ({ message }));
      const { folder } = project;
      const message = `the tools of ${folder} are not trusted: aos trust ${folder}`;
      return [{ message, untrusted: folder }];
    }),
  ];

  return {
    async prepare(scope) {
      ofHome = home();
      const { tenant } = scope;
      const projects = projectsOf(scope);
      await Promise.all(
        shelvesOf(projects, tenant).map(({ provider, now }) => provider.prepare(tenant, now)),
      );
      for (const { message } of flawsOf(projects, tenant)) say(message);
    },
    tools(scope) {
      const [first, ...others] = scope.folders;
      if (first === undefined) return ofHome.tools;
      const own = projectAt(first); // PROJECT-TOOLS-3
      const beside = projectsOf({ ...scope, folders: others });
      const toolsOf = (project: Project) =>
        shelvesOf([project], scope.tenant).flatMap(({ provider, now }) =>
          provider.isOf(now) ? provider.tools : [],
        );
      return [
        ...ofHome.tools,
        ...(own === undefined ? [] : toolsOf(own)),
        ...beside
          .filter(({ folder }) => folder !== own?.folder)
          .flatMap((project) => toolsOf(project).map(asAnybody)),
      ];
    },
    flaws: (scope) => flawsOf(projectsOf(scope), scope.tenant),
    // Only tools that exist: a rule with a misspelt tool name must not seem to apply.
    mayComeToBe: (name) =>
      [...home().tools, ...[...providers.values()].flatMap((provider) => provider.tools)].some(
        (tool) => tool.name === name,
      ),
    async close() {
      await Promise.all([...providers.values()].map((provider) => provider.close()));
    },
  };
}

/** PROJECT-TOOLS-3. */
const asAnybody = (tool: Tool): Tool => ({ ...tool, descriptionLabel: ANYBODY });

const NO_PROGRAMS: ProgramFiles = { tools: [], flaws: [] };

function programsOf(runner: ProgramRunner, folder: string): ProgramFiles {
  try {
    return readPrograms(runner, folder, readdirSync(folder).filter(isProgram).toSorted());
  } catch {
    return NO_PROGRAMS;
  }
}

interface ProjectEntry {
  readonly provider: ProjectProvider;
  /** As it is trusted now. */
  readonly now: TrustedFolder;
}

/** What one project has. */
class ProjectProvider {
  readonly #project: Project;
  readonly #runner: ProgramRunner;
  readonly #means: GenerationOptions;
  #programs: ProgramFiles = NO_PROGRAMS;
  #generation: ToolGeneration | undefined;
  #trouble: string | undefined;
  #digest: string | undefined;
  #triedAt = 0;
  #preparing: Promise<void> | undefined;

  constructor(project: Project, runner: ProgramRunner, means: GenerationOptions) {
    this.#project = project;
    this.#runner = runner;
    this.#means = means;
  }

  get tools(): readonly Tool[] {
    return [...(this.#generation?.tools ?? []), ...this.#programs.tools];
  }

  get flaws(): readonly string[] {
    const trouble = this.#trouble === undefined ? [] : [`${this.#project.tools}: ${this.#trouble}`];
    return [...trouble, ...(this.#generation?.flaws ?? []), ...this.#programs.flaws];
  }

  /** Whether it was made of what is trusted now. */
  isOf({ digest }: TrustedFolder): boolean {
    return digest === this.#digest;
  }

  prepare(tenant: string, now: TrustedFolder): Promise<void> {
    this.#preparing ??= this.#prepare(tenant, now).finally(() => (this.#preparing = undefined));
    return this.#preparing;
  }

  async close(): Promise<void> {
    await this.#preparing;
    await this.#generation?.end();
  }

  async #prepare(tenant: string, now: TrustedFolder): Promise<void> {
    try {
      const mayTryAgain =
        this.#trouble !== undefined && performance.now() - this.#triedAt > AGAIN_MS;
      if (this.isOf(now) && !mayTryAgain) return;
      this.#triedAt = performance.now();
      this.#trouble = undefined;
      this.#programs = NO_PROGRAMS;
      const names = trustedPaths(now);
      this.#programs = readPrograms(
        this.#runner,
        this.#project.tools,
        names.filter(isProgram),
        (name) => textIn(now, name),
      );
      await this.#renew(tenant, now, names);
    } catch (error) {
      this.#replaceBy(undefined);
      this.#trouble = (error as Error).message;
    }
    this.#digest = now.digest;
  }

  /** PROJECT-TOOLS-2. */
  async #renew(tenant: string, now: TrustedFolder, names: readonly string[]): Promise<void> {
    const modules = readModules(this.#project, now, names);
    if (modules.digest === this.#generation?.digest) return;
    const next = new ToolGeneration(this.#project, modules, this.#means);
    if (modules.main.length > 0) await next.describe(tenant);
    this.#replaceBy(next);
  }

  #replaceBy(next: ToolGeneration | undefined): void {
    this.#generation?.retire();
    this.#generation = next;
  }
}
