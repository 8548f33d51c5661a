import { existsSync } from "node:fs";
import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { formatMcpServer } from "../format-mcp-server.ts";

const command: Command = async ({ args, options, client, out }) => {
  const [name = "", ...words] = args;
  const url = options.text("url");
  const { file } = await client.addMcpServer({
    name,
    ...(words.length === 0 ? {} : { command: words }),
    ...(url === undefined ? {} : { url }),
    ...some("env", pairsOf(options.texts("env"), "--env")),
    ...some("headers", pairsOf(options.texts("header"), "--header")),
    ...some("paths", [...options.texts("path")]),
    ...some("hosts", [...options.texts("host")]),
  });
  out.note(`added ${name} to ${file}`);
  const servers = await client.mcpServers({ cwd: process.cwd() });
  const server = servers.find((one) => one.name === name)!;
  if (server.tools.length > 0)
    out.note(
      "The present descriptions of these tools are pinned. A tool that changes is disabled until you run `aos mcp pin`.",
    );
  if (server.state !== "ready")
    for (const path of unseen(words, options.texts("path")))
      out.note(`the server cannot read ${path}; to allow it: --path ${path}`);
  await out.data(server, () => formatMcpServer(server));
  return server.state === "failed" ? 1 : 0;
};

export default command;

/** What the command names of this machine and nobody showed it; its first word is its own program. */
function unseen([, ...words]: readonly string[], shown: readonly string[]): string[] {
  const folders = shown.map((path) => path.replace(/:rw$/, "").replace(/\/$/, ""));
  const isShown = (word: string) =>
    folders.some((folder) => word === folder || word.startsWith(`${folder}/`));
  return words.filter((word) => word.startsWith("/") && existsSync(word) && !isShown(word));
}

const some = <Key extends string, Value extends object>(key: Key, value: Value) =>
  (Object.keys(value).length === 0 ? {} : { [key]: value }) as { [K in Key]?: Value };

function pairsOf(written: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    written.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new SysError("EINVAL", `${option} must be NAME=VALUE`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
