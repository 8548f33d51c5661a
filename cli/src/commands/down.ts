import type { Command } from "../command.ts";
import { findService } from "../service/find-service.ts";
import { stopDaemon } from "../stop-daemon.ts";

const command: Command = async ({ client, out, endpoint }) => {
  const service = findService(endpoint);
  // A manager that is not told would start it again, or take it for a failure.
  const isManaged =
    service !== undefined && ["active", "starting"].includes(service.manager.state());
  const managed = isManaged ? await pidOf(client) : null;
  if (isManaged) service.manager.stop();
  const pid = managed ?? (await stopDaemon(client, endpoint));
  if (pid === null) {
    out.note(`no daemon was running on ${endpoint.remote?.url ?? endpoint.home}`);
  } else {
    const of = managed === null ? "" : " of the service";
    out.note(`the daemon${of} (pid ${pid}) has stopped`);
  }
  await out.data({ stopped: pid !== null, pid }, () => "");
};

export default command;

/** Null where none answers. */
const pidOf = (client: Parameters<Command>[0]["client"]): Promise<number | null> =>
  client.status().then(
    ({ daemon }) => daemon.pid,
    () => null,
  );
