import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A certificate for tests, made on the spot: signed by itself, or by `issuer`. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

export interface CertificateOptions {
  readonly name: string;
  readonly ip?: readonly number[];
  readonly dns?: string;
  readonly authority?: boolean;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly issuer?: Certificate;
}

export function makeCertificate(options: CertificateOptions): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const issuerName = options.issuer?.name ?? options.name;
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(Math.floor(Math.random() * 1_000_000) + 1),
    algorithm,
    distinguishedName(issuerName),
    sequence(
      time(options.notBefore ?? new Date('2020-01-01')),
      time(options.notAfter ?? new Date('2049-01-01')),
    ),
    distinguishedName(options.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions(options))),
  );
  const signature = sign('sha256', body, options.issuer?.privateKey ?? privateKey);
  const der = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${(der.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`,
    name: options.name,
    privateKey,
  };
}

function extensions({ ip, dns, authority }: CertificateOptions): Buffer[] {
  const names = [
    ...(ip === undefined ? [] : [tagged(0x87, Buffer.from(ip))]),
    ...(dns === undefined ? [] : [tagged(0x82, Buffer.from(dns))]),
  ];
  return [
    ...(names.length === 0 ? [] : [sequence(oid('551d11'), tagged(0x04, sequence(...names)))]),
    ...(authority === true
      ? [
          sequence(
            oid('551d13'),
            tagged(0x01, Buffer.from([0xff])),
            tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))),
          ),
        ]
      : []),
    ...(names.length === 0 && authority !== true
      ? [sequence(oid('551d0f'), tagged(0x04, tagged(0x03, Buffer.from([7, 0x80]))))]
      : []),
  ];
}

function tagged(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, Math.floor(length / 256), length % 256];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

const sequence = (...content: readonly Buffer[]): Buffer => tagged(0x30, ...content);
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));

function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}

function distinguishedName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(name)))));
}
