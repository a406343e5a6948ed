/** What a readiness report looks at. */
export interface Criterion {
  readonly id: string;
  /** Judged for each application rather than once for the repository. */
  readonly perApp: boolean;
  /** Rationale where everything passes. */
  readonly met: string;
  /** Beginning of the rationale where something does not pass; the places follow. */
  readonly unmet: string;
  readonly advice: string;
}

export const LEVELS_OF_EFFORT = ['low', 'medium', 'high', 'off'] as const;

const app = (id: string, met: string, unmet: string, advice: string): Criterion => ({
  id,
  perApp: true,
  met,
  unmet,
  advice,
});
const repository = (id: string, met: string, unmet: string, advice: string): Criterion => ({
  ...app(id, met, unmet, advice),
  perApp: false,
});

export const CRITERIA: readonly Criterion[] = [
  app(
    'lint_config',
    'A linter is configured and runs clean.',
    'No linter is configured',
    'Add a lint script.',
  ),
  app(
    'type_check',
    'Types are checked in strict mode.',
    'Types are not checked strictly',
    'Turn on strict checks.',
  ),
  app('formatter', 'A formatter is configured.', 'No formatter is configured', 'Add one and run it once.'),
  app(
    'unit_tests',
    'Unit tests exist and pass.',
    'There are no unit tests',
    'Begin with the module changed most.',
  ),
  app(
    'test_coverage',
    'Coverage is measured, with a floor.',
    'Coverage is not measured',
    'Set a floor of 60 %.',
  ),
  app(
    'test_isolation',
    'Tests pass in any order.',
    'Some tests depend on their order',
    'Shuffle them in CI.',
  ),
  app(
    'build_command',
    'One command builds it.',
    'The build needs several manual steps',
    'Document one command.',
  ),
  app('structured_logging', 'Logs are structured.', 'Logs are plain text', 'Log key and value pairs.'),
  app(
    'error_tracking',
    'Errors are reported with a release.',
    'Errors are not reported',
    'Report uncaught errors.',
  ),
  app(
    'api_schema',
    'Interfaces have a schema.',
    'Interfaces have no schema',
    'Generate one from the handlers.',
  ),
  repository(
    'readme',
    'The README says how to build and test.',
    'The README does not say how to test',
    'Add it.',
  ),
  repository(
    'agent_guide',
    'A guide for agents exists.',
    'There is no guide for agents',
    'Add one to the root.',
  ),
  repository(
    'ci_pipeline',
    'Every change is built and tested.',
    'CI does not run the tests',
    'Run them on each change.',
  ),
  repository('dependency_lock', 'Versions are locked.', 'Versions are not locked', 'Commit the lock file.'),
  repository(
    'dependency_updates',
    'Updates are automated.',
    'Updates are made by hand',
    'Automate them weekly.',
  ),
  repository(
    'secret_scan',
    'Commits are scanned for secrets.',
    'Secrets are not scanned for',
    'Scan before pushing.',
  ),
  repository('codeowners', 'Every folder has an owner.', 'Folders have no owners', 'Add a CODEOWNERS file.'),
  repository(
    'pre_commit_hooks',
    'Hooks run before a commit.',
    'No hooks run before a commit',
    'Run lint and format.',
  ),
  repository('dev_container', 'The development container starts.', 'There is no container', 'Describe one.'),
  repository(
    'large_files',
    'No file is above 1 MB.',
    'Binary files above 1 MB are kept',
    'Move them to storage.',
  ),
];
