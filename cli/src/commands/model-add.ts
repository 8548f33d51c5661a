import type { Command } from "../command.ts";
import { providerArgs } from "../provider-options.ts";

const command: Command = async ({ args, options, client, out }) => {
  const request = await providerArgs(args[0] ?? "", options);
  const added = await client.addProvider(request);
  out.note(`added ${added.name} to ${added.file}`);
  if (request.key !== undefined) out.note(`its key is stored as the secret ${added.secret}`);
  else if (added.secret !== null)
    out.note(`its key is the secret ${added.secret}; set it with aos configure`);
  await out.data(added, () => "");
};

export default command;
