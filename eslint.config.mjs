import globals from 'globals';
import tseslint from 'typescript-eslint';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';

/** What a feature may use. Everything else it needs comes in through src/compose.ts. */
const infrastructure = ['api', 'connection', 'storage', 'sync', 'ui', 'webview', 'util'];
const features = [
  ...['computers', 'sessions', 'chat', 'changes', 'search', 'organization', 'readiness', 'usage', 'hooks'],
  'tools',
];

const noVscode = { name: 'vscode', message: 'This file must run without VS Code.' };
const noUndici = { name: 'undici', message: "Bypasses VS Code's proxy." };

const zones = [
  // Nothing imports extension.ts; compose.ts and startup.ts alone see all features.
  { target: './src', from: './src/extension.ts' },
  ...[...features, ...infrastructure, 'sample'].map(folder => ({
    target: `./src/${folder}`,
    from: ['./src/compose.ts', './src/startup.ts', './src/console.ts', './src/sources.ts'],
    message: 'Only extension.ts sees how the parts are put together.',
  })),
  ...features.map(feature => ({
    target: `./src/${feature}`,
    from: features.filter(other => other !== feature).map(other => `./src/${other}`),
    message: 'A feature never imports another feature; pass a small interface through compose.ts.',
  })),
  ...infrastructure.map(folder => ({
    target: `./src/${folder}`,
    from: features.map(feature => `./src/${feature}`),
    message: 'Infrastructure does not know the features.',
  })),
  { target: './src/api', from: ['./src/connection', './src/storage', './src/webview', './src/sample'] },
  { target: './src/storage', from: ['./src/api', './src/connection', './src/webview', './src/sample'] },
  { target: './src/webview', from: ['./src/api', './src/connection', './src/storage', './src/sample'] },
  { target: './src/util', from: ['./src/connection', './src/storage', './src/webview', './src/sample'] },
  { target: './src/sample', from: ['./src/api', './src/connection', './src/storage', './src/webview'] },
  {
    target: './media',
    from: './src',
    except: ['./webview/ipc.ts', './chat/protocol.ts', './readiness/protocol.ts', './usage/protocol.ts'],
    message: 'Pages import protocol files and webview/ipc only.',
  },
];

const restrictedSyntax = [
  {
    selector: 'VariableDeclarator[init.property.name="l10n"] > ObjectPattern',
    message: 'Write vscode.l10n.t(…): texts behind another name are not found for translation.',
  },
  {
    selector:
      'AssignmentExpression > MemberExpression[property.name=/^(isTrusted|supportHtml|enableCommandUris)$/]',
    message: 'Markdown from data is never trusted and never HTML (trust.md 3, 7).',
  },
  {
    selector: 'Property[key.name=/^(isTrusted|supportHtml|enableCommandUris|retainContextWhenHidden)$/]',
    message: 'Never set (trust.md 3, 7).',
  },
  {
    selector: 'CallExpression[callee.property.name="appendMarkdown"]',
    message: 'Use appendText or appendCodeblock.',
  },
  {
    selector: 'NewExpression[callee.property.name="MarkdownString"][arguments.length>0]',
    message: 'Start empty and use appendText: constructor text is Markdown.',
  },
  {
    selector: 'ImportDeclaration[source.value="zod"] > :matches(ImportSpecifier, ImportDefaultSpecifier)',
    message: "Use `import * as z from 'zod'`: the named import bundles every locale.",
  },
  {
    selector: 'CallExpression[callee.object.property.name="globalState"][callee.property.name="update"]',
    message: 'globalState loses writes between windows; use storage (trust.md 34).',
  },
];

const onlyInExtension = [
  'registerCommand',
  'createTreeView',
  'registerTreeDataProvider',
  'registerWebviewPanelSerializer',
  'registerUriHandler',
  'registerWebviewViewProvider',
  'registerTextDocumentContentProvider',
  'registerFileSystemProvider',
  'registerTool',
].map(property => ({
  selector: `CallExpression[callee.property.name="${property}"]`,
  message: 'Only extension.ts registers things.',
}));

const onlyInSettings = [
  {
    selector: 'CallExpression[callee.property.name="getConfiguration"]',
    message: 'Only settings.ts reads settings.',
  },
  { selector: 'Literal[value="setContext"]', message: 'Only contributions.ts sets context keys.' },
];

export default tseslint.config(
  {
    ignores: ['dist/', '.test-out*/', '.vscode-test/', '.shots/', 'node_modules/', '**/node_modules/'],
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: { globals: globals.node },
    rules: { 'no-unused-vars': 'error', 'no-undef': 'error' },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, importX.flatConfigs.typescript],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: {
      'import-x/resolver-next': [
        createTypeScriptImportResolver({ project: ['tsconfig.json', 'media/tsconfig.json'] }),
      ],
    },
    rules: {
      'no-console': 'error',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      'import-x/no-default-export': 'error',
      'import-x/no-duplicates': 'error',
      // Packages first.
      'import-x/order': [
        'error',
        {
          groups: [
            ['builtin', 'external', 'unknown'],
            ['parent', 'sibling', 'index'],
          ],
        },
      ],
      'import-x/no-restricted-paths': ['error', { zones, basePath: import.meta.dirname }],
      'no-restricted-imports': ['error', { paths: [noUndici] }],
      'no-restricted-syntax': ['error', ...restrictedSyntax, ...onlyInExtension, ...onlyInSettings],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-invalid-void-type': [
        'error',
        { allowAsThisParameter: true, allowInGenericTypeArguments: true },
      ],
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/unified-signatures': 'off',
    },
  },
  {
    files: ['src/contributions.ts'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax, ...onlyInExtension] },
  },
  {
    files: ['src/settings.ts'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax, ...onlyInExtension] },
  },
  {
    files: ['src/extension.ts'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax, ...onlyInSettings] },
  },
  {
    files: [
      'src/api/**',
      'src/storage/**',
      'src/sync/**',
      'src/sample/**',
      'src/**/model.ts',
      'src/**/protocol.ts',
      'src/usage/report/**',
      'src/webview/ipc.ts',
      'media/**',
    ],
    rules: {
      'no-restricted-imports': ['error', { paths: [noVscode, noUndici] }],
    },
  },
  {
    files: ['test/**'],
    rules: {
      'no-restricted-syntax': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
    },
  },
  { files: ['test/vscode/**', 'test/run.ts', 'test/bench/**', 'test/ui/**'], rules: { 'no-console': 'off' } },
);
