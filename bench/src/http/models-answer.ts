// As many bytes as GET /v1/models answers.

export const MODELS_ANSWER = JSON.stringify({
  object: 'list',
  data: 'x'.repeat(441 - '{"object":"list","data":""}'.length),
})
