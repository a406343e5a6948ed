export { startSampleService, type SampleService, type SampleServiceOptions } from './service';
export { type Fault, type FaultMatch, type Mishap } from './faults';
export { sampleKeys, type SampleKeys } from './keys';
export { type Credential, type Origin, type RecordedRequest } from './recorder';
