import type { Command } from "../command.ts";
import { sayMcpServer } from "../say-mcp-server.ts";

const command: Command = async ({ args, client, out }) => {
  const server = await client.pinMcpServer({ name: args[0] ?? "", cwd: process.cwd() });
  await out.data(server, () => sayMcpServer(server));
};

export default command;
