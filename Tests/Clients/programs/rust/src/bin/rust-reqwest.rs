//! Prints what a URL answers, by reqwest with native-tls.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("no URL")?;
    print!("{}", reqwest::blocking::get(url)?.text()?);
    Ok(())
}
