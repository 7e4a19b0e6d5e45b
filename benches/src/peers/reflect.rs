//! prost-reflect, with a descriptor of the bench record.

use bytes::Buf;
use prost_reflect::prost::Message;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
};
use prost_reflect::{DescriptorPool, DynamicMessage, Value};

use super::{Given, NAME, Peer};
use crate::Trouble;

pub(super) fn peer(given: &Given<'_>) -> Result<Peer, Trouble> {
    let files = FileDescriptorSet { file: vec![file()] };
    let pool = DescriptorPool::from_file_descriptor_set(files)?;
    let order = pool
        .get_message_by_name("com.example.Order")
        .ok_or("the descriptor of the bench record has no Order")?;

    let mut body = given.body.clone();
    // One byte says that the first message of the text is meant.
    body.advance(1);
    let message = DynamicMessage::decode(order.clone(), &body[..])?;
    let name = message.get_field_by_name("name");
    assert_eq!(name.as_deref(), Some(&Value::String(NAME.to_owned())));
    assert_eq!(message.unknown_fields().count(), 0);
    let mut out = Vec::with_capacity(body.len() * 2);
    message.encode(&mut out)?;
    assert_eq!(out, body);

    Ok(Peer {
        library: "prost-reflect 0.16 DynamicMessage",
        name: "prost-reflect",
        read: Some(Box::new(move || {
            std::hint::black_box(DynamicMessage::decode(order.clone(), &body[..]).ok());
        })),
        write: Some(Box::new(move || {
            out.clear();
            std::hint::black_box(message.encode(&mut out).ok());
            std::hint::black_box(&out);
        })),
    })
}

/// What the registry's text says, with the imported messages beside the others.
fn file() -> FileDescriptorProto {
    let text = |name, number| field(name, number, Type::String);
    let address = message(
        "Address",
        vec![text("street", 1), text("city", 2), text("zip", 3)],
    );
    let tags = FieldDescriptorProto {
        label: Some(Label::Repeated.into()),
        ..text("tags", 9)
    };
    let fields = vec![
        field("id", 1, Type::Int64),
        text("name", 2),
        text("email", 3),
        field("active", 4, Type::Bool),
        field("amount", 5, Type::Double),
        field("quantity", 6, Type::Int32),
        of("created", 7, ".com.example.Timestamp"),
        of("price", 8, ".com.example.Decimal"),
        tags,
        of("address", 10, ".com.example.Order.Address"),
    ];
    let order = DescriptorProto {
        nested_type: vec![address],
        ..message("Order", fields)
    };
    let timestamp = message(
        "Timestamp",
        vec![
            field("seconds", 1, Type::Int64),
            field("nanos", 2, Type::Int32),
        ],
    );
    let decimal = message(
        "Decimal",
        vec![
            field("value", 1, Type::Bytes),
            field("precision", 2, Type::Uint32),
            field("scale", 3, Type::Int32),
        ],
    );
    FileDescriptorProto {
        name: Some("order.proto".to_owned()),
        package: Some("com.example".to_owned()),
        syntax: Some("proto3".to_owned()),
        message_type: vec![order, timestamp, decimal],
        ..FileDescriptorProto::default()
    }
}

fn message(name: &str, field: Vec<FieldDescriptorProto>) -> DescriptorProto {
    DescriptorProto {
        name: Some(name.to_owned()),
        field,
        ..DescriptorProto::default()
    }
}

fn field(name: &str, number: i32, kind: Type) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(Label::Optional.into()),
        r#type: Some(kind.into()),
        ..FieldDescriptorProto::default()
    }
}

/// A field of a message.
fn of(name: &str, number: i32, message: &str) -> FieldDescriptorProto {
    FieldDescriptorProto {
        type_name: Some(message.to_owned()),
        ..field(name, number, Type::Message)
    }
}
