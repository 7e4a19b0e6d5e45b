use super::*;
#[derive(Debug)]
pub(super) struct Plan;
pub(super) fn compile(_: &ProtobufSchema, _: MessageId, _: &ProtobufDataConfig) -> Option<Plan> { None }
