//! How many secrets are found: generated ones of many kinds, in the places where people leave them.

mod calls;
mod chosen;
mod contexts;
mod fresh;
mod kinds;
mod lists;
mod places;
mod recall;
mod services;
mod speed;
mod tools;
mod values;
