/** Among the services of `end-to-end`: the engine alone, without a service around it. */
export const BARE_ENGINE = 'bare ONNX Runtime loop'
