// Declarations: parses and validates MCP server declarations. The file determines their reach: the operator's
// anything, a project's only the project.

import type { Effect } from "@aos/protocol";

/** A value, or the name of a secret in place of one. */
export type Setting = { readonly text: string } | { readonly secret: string };

interface Declared {
  /** The middle of `mcp.NAME.TOOL`. */
  readonly name: string;
  /** The file. */
  readonly declaredIn: string;
  /** Written by the operator, not by the author of a project. */
  readonly isOperators: boolean;
  /**
   * Hosts that it may reach, `host` or `host:port`. For a stdio server all of them; for one over HTTP
   * those beside its own, where its users sign in.
   */
  readonly hosts: readonly string[];
  /** The only tools that are offered; all of them when absent. */
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
  /** What the declaration says of tools, by the server's names for them. */
  readonly effects: Readonly<Record<string, Effect>>;
  /** Whether the server's own word on effects counts. */
  readonly trustsAnnotations: boolean;
  /** Whether what was agreed to of a tool's description counts as the operator's own words. */
  readonly trustsDescriptions: boolean;
}

export interface StdioDeclaration extends Declared {
  readonly kind: "stdio";
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, Setting>>;
  /** What it sees of the machine beside its own program. */
  readonly paths: readonly { readonly path: string; readonly mode: "read" | "write" }[];
  /** The project that brought it: its paths lead nowhere else, whatever links there are. */
  readonly within?: string;
  /** What its program is made of in that project, from where it was trusted. */
  readonly own?: readonly { readonly from: string; readonly at: string }[];
}

export interface HttpDeclaration extends Declared {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, Setting>>;
}

export type McpDeclaration = StdioDeclaration | HttpDeclaration;

/** What its pins are kept under: the same name in another file is another server. */
export const pinKeyOf = ({ declaredIn, name }: McpDeclaration): string => `${declaredIn}#${name}`;

/** The command, or the address. */
export const whereOf = (declaration: McpDeclaration): string =>
  declaration.kind === "stdio" ? declaration.command.join(" ") : declaration.url;

/** The names of the secrets that it needs, each once. */
export function secretsOf(declaration: McpDeclaration): string[] {
  const settings = declaration.kind === "stdio" ? declaration.env : declaration.headers;
  const names = Object.values(settings).flatMap((one) => ("secret" in one ? [one.secret] : []));
  return [...new Set(names)];
}

/** Whether a declaration offers a tool at all. */
export const offersTool = ({ allow, deny }: McpDeclaration, tool: string): boolean =>
  (allow === undefined || allow.includes(tool)) && !deny.includes(tool);
