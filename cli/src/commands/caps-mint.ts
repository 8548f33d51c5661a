import type { Command } from "../command.ts";
import { readDurationOption } from "../read-number.ts";

const command: Command = async ({ args, client, options, out }) => {
  const expiresInMs = readDurationOption(options.text("expires"), "--expires");
  const holder = options.text("holder");
  const minted = await client.mintToken({
    capabilities: [...args],
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    ...(holder === undefined ? {} : { holder }),
    ...(options.flag("signed") ? { signed: true } : {}),
  });
  out.note(`anyone who has the token can use it; revoke it with: aos caps revoke ${minted.ids[0]}`);
  await out.data(minted, () => minted.token);
};

export default command;
