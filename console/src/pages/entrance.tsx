// The pages before one is inside, in one piece because they are small and follow on each other.

export { Forgot } from './forgot.tsx'
export { Join } from './join.tsx'
export { SignIn } from './sign-in.tsx'
export { WaitingRoom } from './waiting-room.tsx'
export { Welcome } from './welcome.tsx'
