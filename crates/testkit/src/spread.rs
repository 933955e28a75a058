//! Spreads the records of a file over several lines, as pretty printers do.

/// Returns a file in which each line that is one object takes several; all other bytes stay.
pub fn spread(file: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(file.len() * 2);
    for line in file.split_inclusive(|&byte| byte == b'\n') {
        match annals_json::Value::parse(line) {
            Ok(value) if value.fields().is_some() && line.ends_with(b"\n") => {
                spread_value(value.raw(), &mut out);
                out.push(b'\n');
            }
            _ => out.extend_from_slice(line),
        }
    }
    out
}

fn spread_value(json: &[u8], out: &mut Vec<u8>) {
    let (mut depth, mut is_string, mut is_escape) = (0_usize, false, false);
    for &byte in json {
        if is_string {
            out.push(byte);
            is_string = is_escape || byte != b'"';
            is_escape = !is_escape && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => {
                is_string = true;
                out.push(byte);
            }
            b'{' | b'[' => {
                depth += 1;
                out.push(byte);
                new_line(depth, out);
            }
            b'}' | b']' => {
                depth -= 1;
                new_line(depth, out);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(depth, out);
            }
            b':' => out.extend_from_slice(b": "),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            other => out.push(other),
        }
    }
}

fn new_line(depth: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', 2 * depth));
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_record_takes_several_lines_and_stays_itself() {
        let spread = super::spread(b"{\"a\":[1,\"{\\\"\"]}\ntorn {\n");
        assert_eq!(spread, b"{\n  \"a\": [\n    1,\n    \"{\\\"\"\n  ]\n}\ntorn {\n");
    }
}
