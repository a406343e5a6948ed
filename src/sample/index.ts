export { sampleRecord, type SampleRecord, type SampleRecords } from './sessions';
export { sampleFetch, type SampleOptions } from './sample';
export { demoFacts, type LocalFacts } from './stories';
