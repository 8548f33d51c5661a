import type { Command } from "../command.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, out }) => {
  const folders = await client.trustedFolders();
  if (folders.length === 0) out.note("no folder is trusted; review one with: aos trust DIR");
  await out.data(folders, () =>
    table(
      ["FOLDER", "STATE", "+TENANT", "BY", "SINCE"],
      folders.map(({ folder, state, tenant, trustedBy, trustedAt }) => [
        folder,
        state,
        tenant,
        trustedBy,
        trustedAt,
      ]),
      out,
    ),
  );
};

export default command;
