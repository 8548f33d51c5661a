// The tests that start, stop, kill and restart daemons. Each is run on SQLite where it is, and again on PostgreSQL by
// `npm run test:deep`: every home of theirs then has a new database of one server (postgres-homes.ts).
//
// tests/architecture/restart-tests.test.ts finds one that is in neither list.

export const restartTests: readonly string[] = [
  "tests/e2e/admission.deep.test.ts",
  "tests/e2e/authority/approvals.deep.test.ts",
  "tests/e2e/authority/doctor.deep.test.ts",
  "tests/e2e/authority/policy.deep.test.ts",
  "tests/e2e/authority/projects.deep.test.ts",
  "tests/e2e/authority/secrets.test.ts",
  "tests/e2e/cli/remote.test.ts",
  "tests/e2e/cli/watch.deep.test.ts",
  "tests/e2e/daemon.test.ts",
  "tests/e2e/dashboard.deep.test.ts",
  "tests/e2e/debugging.deep.test.ts",
  "tests/e2e/doors/mcp-stdio.deep.test.ts",
  "tests/e2e/goals.test.ts",
  "tests/e2e/models.test.ts",
  "tests/e2e/operation/config.test.ts",
  "tests/e2e/operation/stop.deep.test.ts",
  "tests/e2e/operation/traces.deep.test.ts",
  "tests/e2e/quickstart.test.ts",
  "tests/e2e/skills.test.ts",
  "tests/e2e/steering.deep.test.ts",
  "tests/e2e/team.test.ts",
];

/** Why a test that looks like one of them has nothing to gain from PostgreSQL. */
export const restartTestsOfSqlite: Readonly<Record<string, string>> = {
  "tests/crash/examples.deep.test.ts": "is killed at the commits of the SQLite file",
  "tests/e2e/bad-disk.deep.test.ts": "is about the disk that the SQLite file is on",
  "tests/e2e/bad-input.deep.test.ts":
    "spoils the SQLite file; the contract of the stores does the same to both",
  "tests/e2e/contract/contract.deep.test.ts": "signals a process; its daemon runs on",
  "tests/e2e/evals.deep.test.ts":
    "on PostgreSQL a run that a crash cut off can end as unscored (docs/evaluation.md)",
  "tests/e2e/gateway/events.test.ts": "signals a process; its daemon runs on",
  "tests/e2e/gateway/idempotency.test.ts": "signals a process; its daemon runs on",
  "tests/e2e/lifecycle.deep.test.ts": "is on both databases by itself",
  "tests/e2e/postgres.test.ts": "is on PostgreSQL already",
  "tests/e2e/service.test.ts":
    "a service gets no variable of the shell that installs it (SERVICE-INSTALL-2), and the test names the server by one",
  "tests/crash/archive.deep.test.ts": "kills at the commits of SQLite, which it counts",
  "tests/crash/saga.deep.test.ts": "kills at the commits of SQLite, which it counts",
  "tests/crash/forget.deep.test.ts": "kills at the commits of SQLite, which it counts",
  "tests/crash/tidy.deep.test.ts": "kills at the commits of SQLite, which it counts",
  "tests/crash/every-commit.deep.test.ts":
    "kills at the commits of SQLite, which it counts; nodes on PostgreSQL are killed in tests/integration/leases",
  "tests/crash/python.deep.test.ts": "kills at the commits of SQLite, which it counts",
  "tests/crash/torn-store.deep.test.ts": "tears the SQLite file",
  "tests/crash/workspace.loop.test.ts": "is about files of workspaces; its kernel has no home",
};
