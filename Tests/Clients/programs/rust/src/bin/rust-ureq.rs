//! Prints what a URL answers, by ureq, which reads no proxy variables.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("no URL")?;
    print!("{}", ureq::get(&url).call()?.into_string()?);
    Ok(())
}
