// Tool names: maps a server's name of a tool to the name in capabilities, rules and agents.
//
//   toolNameOf("github", "issues/list")    mcp.github.issues~2flist
//   readToolName("mcp.github.issues~2flist")    { server: "github", tool: "issues/list" }
//
// TOOL-NAME-1  Two tools never have one name: a character that is not a letter, a digit, `.`, `_` or `-` is written
//     as its UTF-8 bytes, `~` included, so the mapping is reversible.

const PREFIX = "mcp.";
const MAX_NAME_CHARS = 128;

/** A server with a `.` in its name could be taken for another one's tool. */
export const SERVER_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Why a tool of this name cannot be offered; undefined when it can. */
export function toolNameFlaw(tool: string): string | undefined {
  if (tool === "") return "it has no name";
  if (tool.length > MAX_NAME_CHARS) return `its name has more than ${MAX_NAME_CHARS} characters`;
  return tool.isWellFormed() ? undefined : "its name is not well-formed Unicode";
}

export const toolNameOf = (server: string, tool: string): string =>
  `${PREFIX}${server}.${tool.replaceAll(/[^A-Za-z0-9._-]/gu, escaped)}`;

export function readToolName(name: string): { server: string; tool: string } | undefined {
  const [, server, written] = /^mcp\.([a-z0-9_-]+)\.([A-Za-z0-9._~-]+)$/.exec(name) ?? [];
  if (server === undefined || written === undefined) return undefined;
  try {
    const tool = decodeURIComponent(written.replaceAll("~", "%"));
    return toolNameOf(server, tool) === name ? { server, tool } : undefined;
  } catch {
    return undefined;
  }
}

/** The tool that connects to a server: no tool of the server has a name of two parts. */
export const connectNameOf = (server: string): string => `${PREFIX}${server}`;

/** Names that a rule may speak of before their server is there. */
export const isMcpName = (name: string): boolean => name.startsWith(PREFIX);

const escaped = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `~${byte.toString(16).padStart(2, "0")}`).join("");
