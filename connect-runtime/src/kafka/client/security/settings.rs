//! From keys to [`Security`].

use ferroconnect_converters::config::Problem;
use ferroconnect_registry_client::keystore::{KeySource, TrustSource};

use super::{KeyMaterial, Security, Tls, sasl};
use crate::kafka::client::layers::{Remarks, Values};

/// Reads `security.protocol` and what belongs to it.
pub(in crate::kafka::client) fn security(
    values: &Values,
    remarks: &mut Remarks,
) -> Result<Security, Problem> {
    let protocol: String = values.get("security.protocol")?;
    let protocol = protocol.to_ascii_uppercase();
    let (has_tls, has_sasl) = (protocol.ends_with("SSL"), protocol.starts_with("SASL"));
    for (prefix, is_used) in [("ssl.", has_tls), ("sasl.", has_sasl)] {
        let mut set = values.set_keys().filter(|key| key.starts_with(prefix));
        if !is_used && let Some(key) = set.next() {
            remarks.warning(format!(
                "{} has no effect: security.protocol is {protocol}",
                values.name(key)
            ));
        }
    }
    Ok(Security {
        tls: if has_tls {
            Some(tls(values, remarks)?)
        } else {
            None
        },
        sasl: if has_sasl {
            sasl::sasl(values, remarks)?
        } else {
            None
        },
    })
}

fn tls(values: &Values, remarks: &mut Remarks) -> Result<Tls, Problem> {
    versions(values, remarks)?;
    let key = key_material(values, remarks)?;
    let source = TrustSource {
        certificates: values.get("ssl.truststore.certificates")?,
        location: values.get("ssl.truststore.location")?,
        kind: values.get("ssl.truststore.type")?,
        password: values.get("ssl.truststore.password")?,
    };
    let trust = match source.read() {
        Ok(trust) => trust,
        Err((key, text)) => {
            remarks.problem(values.invalid(key, text));
            None
        }
    };
    Ok(Tls { key, trust })
}

/// The client offers TLS 1.2 and 1.3, always; says where that is not what was asked for.
fn versions(values: &Values, remarks: &mut Remarks) -> Result<(), Problem> {
    let key = "ssl.enabled.protocols";
    let enabled: Vec<String> = values.get(key)?;
    let has = |version: &str| enabled.iter().any(|given| given == version);
    if !has("TLSv1.2") {
        remarks.problem(values.invalid(key, if has("TLSv1.3") {
            "not supported: TLS 1.2 cannot be switched off here; remove the key (TLS 1.3 is used whenever the broker has it), or switch \
             TLS 1.2 off at the broker"
        } else {
            "not supported: versions before TLS 1.2 are unsafe and do not exist here; enable TLSv1.2 or TLSv1.3 at the broker and name both"
        }));
    } else if !has("TLSv1.3") {
        remarks.warning(format!("{}: TLS 1.3 is offered too", values.name(key)));
    }
    let key = "ssl.protocol";
    let protocol: String = values.get(key)?;
    match protocol.as_str() {
        "TLSv1.3" | "TLS" => {}
        "TLSv1.2" => remarks.warning(format!("{}: TLS 1.3 is offered too", values.name(key))),
        _ => remarks.problem(values.invalid(key, "not supported; use TLSv1.3, TLSv1.2 or TLS")),
    }
    Ok(())
}

fn key_material(values: &Values, remarks: &mut Remarks) -> Result<Option<KeyMaterial>, Problem> {
    let source = KeySource {
        key: values.get("ssl.keystore.key")?,
        chain: values.get("ssl.keystore.certificate.chain")?,
        location: values.get("ssl.keystore.location")?,
        password: values.get("ssl.keystore.password")?,
        key_password: values.get("ssl.key.password")?,
        kind: values.get("ssl.keystore.type")?,
    };
    Ok(source.read().unwrap_or_else(|(key, text)| {
        remarks.problem(values.invalid(key, text));
        None
    }))
}
