// Entry point of a tool host, a process in the sandbox: sets up module resolution, then listens.
//
// HOST-1  The text of a project's modules comes over the pipe, not from the disk: what runs is what was read, hashed
//     and described.
// HOST-2  `agent-os` and `zod` are the system's own, whatever the project has installed.

import { registerHooks } from "node:module";

export interface HostSettings {
  /** Modules by the name that they are imported by; each a file: URL. */
  readonly modules: Readonly<Record<string, string>>;
  /** The URL of the folder of the tools. */
  readonly tools: string;
}

const { modules, tools } = JSON.parse(process.argv[2] ?? "{}") as HostSettings;

/** HOST-1: by URL. */
export const sources = new Map<string, string>();

/** HOST-1: what is installed below the tools is a package like any other. */
const isOfTools = (url: string): boolean =>
  url.startsWith(tools) && !url.startsWith(`${tools}node_modules/`);

const FORMATS: Readonly<Record<string, string>> = {
  ts: "module-typescript",
  mts: "module-typescript",
  json: "json",
};

registerHooks({
  resolve(name, context, next) {
    const own = Object.hasOwn(modules, name) ? modules[name] : undefined;
    if (own !== undefined) return { url: own, shortCircuit: true };
    const { parentURL } = context;
    const isRelative = /^(?:\.\.?\/|file:)/.test(name) && parentURL !== undefined;
    const url = isRelative ? new URL(name, parentURL).href : undefined;
    return url !== undefined && sources.has(url)
      ? { url, shortCircuit: true, importAttributes: context.importAttributes }
      : next(name, context);
  },
  load(url, context, next) {
    const source = sources.get(url);
    if (source === undefined && isOfTools(url))
      throw new Error(`${url.slice(tools.length)} did not exist when the tools were read`);
    if (source === undefined) return next(url, context);
    const ending = url.slice(url.lastIndexOf(".") + 1);
    return { format: FORMATS[ending] ?? "module", source, shortCircuit: true };
  },
});

const { serve } = await import("./serve.ts");
serve(sources);
