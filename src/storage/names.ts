import { createHash } from 'node:crypto';

/** Longest encoded id kept readable; longer ones become a hash, with the id inside the file. */
const MAX_ENCODED = 120;

/** Names Windows keeps for devices, whatever follows the first dot. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

const RECORD = /^([^.]+)\.([1-9]\d{0,14})\.json$/;
const TEMP = /^\.tmp-(\d+)-[0-9a-z]+$/;
const FOLDER = /^(?:[a-z0-9_~-]|%[0-9A-F]{2}){1,143}$/;

/**
 * An id as a file or folder name: `a-z 0-9 - _` stay, every other byte becomes `%XX`, so that ids differing only in case
 * stay apart on disks that ignore case. Long ids and ids that are not well-formed text become `~` and a SHA-256.
 */
export function encodeId(id: string): string {
  const bytes = Buffer.from(id, 'utf8');
  let encoded = id === '' ? '%' : '';
  for (const byte of bytes) encoded += isKept(byte) ? String.fromCharCode(byte) : percent(byte);
  if (RESERVED.test(encoded)) encoded = percent(bytes[0] ?? 0) + encoded.slice(1);
  if (encoded.length <= MAX_ENCODED && bytes.toString('utf8') === id) return encoded;
  return `~${createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex')}`;
}

/** The id an encoded name stands for, or the name itself where it is a hash. */
export function decodeId(encoded: string): string {
  if (encoded.startsWith('~')) return encoded;
  if (encoded === '%') return '';
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

export interface RecordName {
  /** The encoded id. */
  readonly stem: string;
  readonly revision: number;
}

/** The parts of a record's file name; `undefined` for any other file. */
export function parseRecordName(name: string): RecordName | undefined {
  const [, stem, revision] = RECORD.exec(name) ?? [];
  return stem === undefined ? undefined : { stem, revision: Number(revision) };
}

export function recordName(stem: string, revision: number): string {
  return `${stem}.${revision}.json`;
}

export function tempName(pid: number, random: string): string {
  return `.tmp-${pid}-${random}`;
}

/** The process that made a temporary file; `undefined` for any other file. */
export function parseTempName(name: string): number | undefined {
  const [, pid] = TEMP.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** Whether every part of a collection's path is a plain folder name. */
export function isCollectionPath(path: string): boolean {
  return path.split('/').every(part => FOLDER.test(part));
}

function isKept(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x5f;
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
