import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const revoked = await client.revokeAccessToken({ id: args[0]! });
  const { id, sessions } = revoked;
  const more = sessions === 0 ? "" : `, and ${sessions} session${sessions === 1 ? "" : "s"} of it`;
  await out.data(revoked, () => `${id} opens nothing any more${more}`);
};

export default command;
