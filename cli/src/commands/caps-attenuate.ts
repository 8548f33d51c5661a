import type { Command } from "../command.ts";
import { readText } from "../read-input.ts";
import { readDurationOption } from "../read-number.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [given = "", ...capabilities] = args;
  const expiresInMs = readDurationOption(options.text("expires"), "--expires");
  const holder = options.text("holder");
  const made = await client.attenuateToken({
    token: (await readText(given)).trim(),
    capabilities,
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    ...(holder === undefined ? {} : { holder }),
  });
  await out.data(made, () => made.token);
};

export default command;
