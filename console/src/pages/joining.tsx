// The pages for those who ask to join, apart from the sign-in, which then arrives sooner.

export { Join } from './entrance/join.tsx'
export { WaitingRoom } from './entrance/waiting-room.tsx'
