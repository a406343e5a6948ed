import { type Locator } from 'playwright-core';
import { type SampleService } from '../../fakes/sampleService';
import { type Workbench } from '../workbench';

export interface Stage {
  readonly workbench: Workbench;
  readonly service: SampleService;
}

/** A named state to take pictures of. */
export interface Scene {
  readonly name: string;
  /** Signed in to the sample service by the environment; true unless told. */
  readonly signedIn?: boolean;
  /** How fast the sample service's agents and computers are; 0, at once, unless told. */
  readonly pace?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly size?: { readonly width: number; readonly height: number };
  /** Brings the window into the state; returns the part to take, or nothing for the whole window. */
  play(stage: Stage): Promise<Locator | undefined>;
}
