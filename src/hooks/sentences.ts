import * as path from 'node:path';
import * as vscode from 'vscode';
import { forNotification, middle, oneLine } from '../util/text';
import type { HookEvent } from './model';
import { UnsafePathError } from './place';
import { SettingsFileError, type FileProblem } from './settingsFile';
import { SettingsTextError, type TextProblem } from './settingsText';

/** How an event's session is called: its project and its title, or the start of its id. Foreign text. */
export function labelOf(event: HookEvent, title: string | undefined): string {
  const project = event.cwd === undefined ? '' : path.basename(event.cwd);
  const name = title ?? (event.sessionId === undefined ? '' : shortId(event.sessionId));
  const label = [project, name].map(part => oneLine(part, 80)).filter(part => part !== '');
  return label.length > 0 ? label.join(' · ') : vscode.l10n.t('A session');
}

function shortId(sessionId: string): string {
  return sessionId.length > 12 ? `${sessionId.slice(0, 8)}…` : sessionId;
}

/** What a notification says of an event, safe to show; `undefined` for kinds that nobody is told of. */
export function noticeOf(event: HookEvent, title: string | undefined): string | undefined {
  const label = labelOf(event, title);
  const sentence = ((): string | undefined => {
    switch (event.name) {
      case 'Notification':
        return event.message === undefined
          ? vscode.l10n.t('{0} waits for your input.', label)
          : vscode.l10n.t('{0} waits for your input: {1}', label, oneLine(event.message, 300));
      case 'Stop':
        return vscode.l10n.t('{0} has finished.', label);
      case 'SubagentStop':
        return vscode.l10n.t('A subagent of {0} has finished.', label);
      case 'SessionEnd':
        return event.reason === undefined
          ? vscode.l10n.t('{0} has ended.', label)
          : vscode.l10n.t('{0} has ended ({1}).', label, oneLine(event.reason, 80));
      default:
        return undefined;
    }
  })();
  return sentence === undefined ? undefined : forNotification(sentence, 500);
}

/** What an event says, in a few words for a list. */
export function stateText(event: HookEvent): string {
  switch (event.name) {
    case 'Notification':
      return vscode.l10n.t('waits for input');
    case 'Stop':
      return vscode.l10n.t('finished');
    case 'SubagentStop':
      return vscode.l10n.t('subagent finished');
    case 'SessionEnd':
      return event.reason === undefined
        ? vscode.l10n.t('ended')
        : vscode.l10n.t('ended ({0})', oneLine(event.reason, 80));
    default:
      return oneLine(event.name, 80);
  }
}

/** Why a settings file was left alone; an error that says nothing of that passes through. */
export function problemSentence(error: unknown, file: string): Error {
  const name = middle(oneLine(file, 1_000), 80);
  if (error instanceof SettingsTextError)
    return new Error(`${textReason(error.problem, name)} ${vscode.l10n.t('Nothing was changed.')}`, {
      cause: error,
    });
  if (error instanceof SettingsFileError)
    return new Error(`${fileReason(error.problem, name)} ${vscode.l10n.t('Nothing was changed.')}`, {
      cause: error,
    });
  if (error instanceof UnsafePathError)
    return new Error(
      vscode.l10n.t(
        'The data of Agent Console lies in {0}, and no command line can name a path with such a character safely. Nothing was changed.',
        middle(oneLine(error.path, 1_000), 80),
      ),
      { cause: error },
    );
  return error instanceof Error ? error : new Error(String(error));
}

function textReason(problem: TextProblem, file: string): string {
  switch (problem.kind) {
    case 'unparsable':
      return vscode.l10n.t(
        '{0} cannot be read: line {1} is not valid JSON. Mend it first.',
        file,
        problem.line,
      );
    case 'duplicateKey':
      return vscode.l10n.t(
        '{0} has the key “{1}” twice (line {2}), so it is not certain which one counts. Remove one of them first.',
        file,
        oneLine(problem.key, 60),
        problem.line,
      );
    case 'shape':
      return problem.expected === 'object'
        ? vscode.l10n.t('{0} is not as expected: line {1} should begin an object.', file, problem.line)
        : vscode.l10n.t(
            '{0} is not as expected: “{1}” in line {2} should be a list.',
            file,
            oneLine(problem.path, 60),
            problem.line,
          );
    case 'tooDeep':
      return vscode.l10n.t('{0} is nested too deeply to be changed safely.', file);
    case 'unsafe':
      return vscode.l10n.t(
        '{0} cannot be changed without touching something else in it. Change it by hand.',
        file,
      );
  }
}

function fileReason(problem: FileProblem, file: string): string {
  switch (problem.kind) {
    case 'link':
      return vscode.l10n.t(
        '{0} is a link to {1}. Choose that file itself if it is the right one.',
        file,
        middle(oneLine(problem.target, 1_000), 80),
      );
    case 'outside':
      return vscode.l10n.t(
        '{0} really lies outside the project, at {1}.',
        file,
        middle(oneLine(problem.target, 1_000), 80),
      );
    case 'hardLinked':
      return vscode.l10n.t('{0} has a second name on this disk, which would keep the old content.', file);
    case 'readOnly':
      return vscode.l10n.t('{0} is read-only.', file);
    case 'notAFile':
      return vscode.l10n.t('{0} is not a file.', file);
    case 'tooLarge':
      return vscode.l10n.t('{0} is larger than 4 MB, which is no settings file.', file);
    case 'noFolder':
      return vscode.l10n.t('The folder of {0} does not exist.', file);
    case 'notText':
      return vscode.l10n.t('{0} is not UTF-8 text.', file);
    case 'changed':
      return vscode.l10n.t('{0} was changed by something else meanwhile. Try again.', file);
    case 'noBackup':
      return vscode.l10n.t('No copy of {0} could be made: {1}', file, oneLine(problem.reason, 200));
    case 'failed':
      return vscode.l10n.t('{0} could not be written: {1}', file, oneLine(problem.reason, 200));
  }
}
