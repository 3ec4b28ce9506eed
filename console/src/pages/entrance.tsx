// The pages that lead into the console, in one chunk because they are small and lead to each other.

export { Forgot } from './entrance/forgot.tsx'
export { SignIn } from './entrance/sign-in.tsx'
export { Welcome } from './entrance/welcome.tsx'
