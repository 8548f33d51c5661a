import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { formatMcpServer } from "../format-mcp-server.ts";

const command: Command = async ({ args, client, out }) => {
  const servers = await client.mcpServers({ cwd: process.cwd() });
  const server = servers.find(({ name }) => name === args[0]);
  if (server === undefined)
    throw new SysError("ENOENT", `unknown MCP server ${args[0]}`, {
      hint: "aos mcp ls lists the servers",
    });
  await out.data(server, () => formatMcpServer(server));
};

export default command;
