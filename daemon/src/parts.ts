// Parts: internals of the daemon for the attacks and the tests of this repository. Not a public interface.

export { agentFolders, findAgent } from "./agents.ts";
export { ArchiveFolder } from "./backup/archive-folder.ts";
export { archivedKernel } from "./backup/archived-kernel.ts";
export { ArchivedRuns } from "./backup/archived-runs.ts";
export { homeFiles } from "./backup/home-files.ts";
export { writeBundle } from "./backup/bundle.ts";
export { importBundle, importedRuns, replayFrom } from "./backup/imports.ts";
export { migrateHome } from "./backup/migrate-home.ts";
export { restore } from "./backup/restore.ts";
export { writeBackup } from "./backup/write-backup.ts";
export { openConfigReport } from "./config-report.ts";
export {
  checkConfigText,
  configSchema,
  programRunnerOptionsOf,
  readConfig,
  type Config,
} from "./config.ts";
export { homeOf, type Home } from "./home.ts";
export { KernelHost } from "./kernel-host.ts";
export { bootWith } from "./library.ts";
export { openLog } from "./log.ts";
export { McpRegistry } from "./mcp/mcp-registry.ts";
export { openMcp } from "./mcp/open-mcp.ts";
export { openModels } from "./models/open-models.ts";
export { createRecordModels } from "./models/record-model.ts";
export { createReplayModels } from "./models/replay-model.ts";
export {
  operatorPolicyFiles,
  trustedPolicies,
  type PolicyLocation,
} from "./policy/project-policies.ts";
export { MetricsSource } from "./metrics/metrics-source.ts";
export { PolicyRegistry } from "./policy/policy-registry.ts";
export { readPolicyFile } from "./policy/policy-text.ts";
export { programLibraries } from "./program-libraries.ts";
export {
  defaultWorkspaces,
  openProgramRunner,
  type OpenProgramRunner,
} from "./program-runner-setup.ts";
export { openScriptFolders } from "./script-folders.ts";
export { createSkillRegistry } from "./skills/skill-registry.ts";
export { recordTest, type RecordTestOptions } from "./testing/record-test.ts";
export { runTest } from "./testing/run-test.ts";
export { TestEnvironment, type TestEnvironmentOptions } from "./testing/test-environment.ts";
export { readTestFile } from "./testing/test-file.ts";
export { plugTools } from "./tools/plug-tools.ts";
export { trustAnyFolder } from "./trust/library-trust.ts";
export { TrustFile } from "./trust/trust-file.ts";
export { TrustRegistry, trustRegistryIn } from "./trust/trust-registry.ts";
export { takeBack } from "./workflows/armed-calls.ts";
export { queryWorkflow, workflowReportOf } from "./workflows/workflow-report.ts";
export { parseYaml } from "./yaml-file.ts";
export { evalInputOf, evalRequestOf } from "./evals/eval-start.ts";
export { evalStateOf } from "./evals/eval-state.ts";
export { createEvalRunTool } from "./evals/run-tool.ts";
export { Notifications, type NotifyOptions } from "./notify/open-notify.ts";
export { signLink, type AnswerLink } from "./notify/answer-link.ts";
