import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const report = await client.revoke({ id: args[0] ?? "" });
  if (report.stopped > 0) {
    out.note(
      `${report.stopped} running ${report.stopped === 1 ? "call was" : "calls were"} stopped`,
    );
  }
  await out.data(report, () => report.revoked.join("\n"));
};

export default command;
