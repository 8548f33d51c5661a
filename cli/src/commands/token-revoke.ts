import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const revoked = await client.revokeAccessToken({ id: args[0]! });
  const { id, sessions } = revoked;
  const more = sessions === 0 ? "" : ` and ${sessions} of its session${sessions === 1 ? "" : "s"}`;
  await out.data(revoked, () => `revoked ${id}${more}`);
};

export default command;
