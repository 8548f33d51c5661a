import type { Command } from "../command.ts";
import { formatMcpServer } from "../format-mcp-server.ts";

const command: Command = async ({ args, client, out }) => {
  const server = await client.pinMcpServer({ name: args[0] ?? "", cwd: process.cwd() });
  await out.data(server, () => formatMcpServer(server));
};

export default command;
