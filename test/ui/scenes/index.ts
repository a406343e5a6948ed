import { composerScenes } from './composer';
import { generalScenes } from './general';
import { hookScenes } from './hooks';
import { organizationScenes } from './organization';
import { readinessScenes } from './readiness';
import { sampleScenes } from './sample';
import { type Scene } from './scene';
import { sessionScenes } from './sessions';
import { usageScenes } from './usage';

/** Every state that pictures are taken of. */
export const scenes: readonly Scene[] = [
  ...generalScenes,
  ...sampleScenes,
  ...sessionScenes,
  ...composerScenes,
  ...readinessScenes,
  ...organizationScenes,
  ...hookScenes,
  ...usageScenes,
];
