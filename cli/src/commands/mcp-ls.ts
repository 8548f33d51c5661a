import type { Command } from "../command.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, out }) => {
  const servers = await client.mcpServers({ cwd: process.cwd() });
  await out.data(servers, () => {
    const rows = servers.map((server) => [
      server.name,
      server.state,
      server.protocol ?? "-",
      String(server.tools.length),
      String(server.restarts),
      server.where,
    ]);
    const notes = servers.flatMap(({ name, detail, changed }) => [
      ...(detail === null ? [] : [`${name}: ${detail}`]),
      ...changed.map(({ tool, what }) => `${name}: ${tool}: ${what}`),
    ]);
    return [
      table(["NAME", "STATE", "+REVISION", "TOOLS", "+RESTARTS", "WHERE"], rows, out),
      ...notes,
    ].join("\n");
  });
};

export default command;
